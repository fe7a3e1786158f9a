;; Sokoban with one action for pushes, no object for the player, whose own cell is free, and names and orders of
;; arguments of its own.
(define (domain warehouse)
  (:requirements :typing)
  (:types cell way box)
  (:predicates (robot ?a - cell)
               (holds ?a - cell ?x - box)
               (free ?a - cell)
               (beside ?w - way ?b ?a - cell))

  (:action walk
   :parameters (?w - way ?there ?here - cell)
   :precondition (and (beside ?w ?there ?here) (free ?there) (robot ?here))
   :effect (and (not (robot ?here)) (robot ?there)))

  (:action shove
   :parameters (?x - box ?there ?middle ?here - cell ?w - way)
   :precondition (and (beside ?w ?middle ?here) (beside ?w ?there ?middle)
                      (holds ?middle ?x) (robot ?here) (free ?there))
   :effect (and (not (robot ?here)) (robot ?middle)
                (not (holds ?middle ?x)) (holds ?there ?x)
                (free ?middle) (not (free ?there))))
)
