;; ######
;; #@ $.#     A corridor with a nook below its first cell. A step and a push solve it.
;; # ####
;; ######
(define (problem nook)
  (:domain sokoban-sequential)
  (:objects hero - player
            crate - stone
            left right up down - direction
            c11 c12 c13 c14 c21 - location)
  (:init (at hero c11) (at crate c13)
         (clear c12) (clear c14) (clear c21)
         (is-nongoal c11) (is-nongoal c12) (is-nongoal c13) (is-goal c14) (is-nongoal c21)
         (move-dir c11 c12 right) (move-dir c12 c11 left)
         (move-dir c12 c13 right) (move-dir c13 c12 left)
         (move-dir c13 c14 right) (move-dir c14 c13 left)
         (move-dir c11 c21 down) (move-dir c21 c11 up))
  (:goal (and (at-goal crate))))
