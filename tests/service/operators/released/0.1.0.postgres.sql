-- A store of version 0.1.0 as PostgreSQL had it: two areas of Sokoban and one of the Last of Us with their best
-- plans; four jobs that are done, one of them with a certificate, one that was cancelled, two that wait.
CREATE TABLE public._outwit_migrations (
    version bigint NOT NULL,
    description text NOT NULL,
    installed_on timestamp with time zone DEFAULT now() NOT NULL,
    success boolean NOT NULL,
    checksum bytea NOT NULL,
    execution_time bigint NOT NULL
);
CREATE TABLE public.areas (
    fingerprint text NOT NULL,
    game text NOT NULL,
    title text NOT NULL,
    facts text NOT NULL,
    text text NOT NULL,
    bytes bigint NOT NULL,
    bound bigint DEFAULT 0 NOT NULL
);
CREATE TABLE public.names (
    id text NOT NULL,
    game text NOT NULL,
    fingerprint text NOT NULL
);
CREATE TABLE public.plans (
    area text NOT NULL,
    plan text NOT NULL,
    length bigint NOT NULL,
    facts text NOT NULL,
    rank text NOT NULL,
    found_ms bigint,
    found_by text
);
CREATE TABLE public.search_workers (
    id text NOT NULL,
    beats bigint NOT NULL,
    seen_ms bigint NOT NULL
);
CREATE TABLE public.searches (
    id text NOT NULL,
    area text NOT NULL,
    game text NOT NULL,
    label text NOT NULL,
    budget text NOT NULL,
    optimal text,
    state text NOT NULL,
    round bigint NOT NULL,
    claim text,
    cancel boolean DEFAULT false NOT NULL,
    attempts bigint DEFAULT 0 NOT NULL,
    progress text,
    result text,
    error text,
    submitted_ms bigint NOT NULL,
    started_ms bigint,
    finished_ms bigint,
    owner text,
    improve text,
    begun text,
    worker text,
    certify boolean DEFAULT false NOT NULL
);
INSERT INTO public._outwit_migrations VALUES (20261121000001, 'areas plans jobs', '2026-11-28 18:34:06.975663+00', true, '\x2d215593c5d7bd96c21346867e45b1fa921eb039bac2103a47f31e16d8b0c09de11e5a162441b22bd96a5e8ef9633782', 16287030);
INSERT INTO public._outwit_migrations VALUES (20261123000001, 'owners', '2026-11-28 18:34:06.99241+00', true, '\xf79bf8e638060a7dd245fff79fad75570d14b6907da6e14279ddcbdc74912cd9e3d501df94dc835c7c446c8b0307b5f3', 560706);
INSERT INTO public._outwit_migrations VALUES (20261123000002, 'improving', '2026-11-28 18:34:06.993121+00', true, '\x92c07f9b7da1e4bdd2dade6bc0ca2727591da0f4f929675de712ff49c4e0c9d389339fc9f405947e7565b00cb1379184', 538289);
INSERT INTO public._outwit_migrations VALUES (20261123000003, 'positions', '2026-11-28 18:34:06.993785+00', true, '\x20e7a1e5a2e0a6e02bb48f72c5c6768d6072ae7eb234a5bfabe99a5729bd0b532d4deb54d3527a278be0d326002e9f60', 310030);
INSERT INTO public._outwit_migrations VALUES (20261126000001, 'workers', '2026-11-28 18:34:06.994197+00', true, '\x3e5dce9d95d48ea4d12c2c92d989b68bc852bf58fdd035e564a74c3ba3675d2c6cab4a8af558acb2e416618eb7f4a2a4', 4977317);
INSERT INTO public._outwit_migrations VALUES (20261128000001, 'certificates', '2026-11-28 18:34:06.999335+00', true, '\x4d1b1a13fa45cec734dbf76b7092d4429f3b9c3db94c41c0408ccf8899ddb37b19a1b6648cba8586eb682b7a98f9220b', 647592);
INSERT INTO public.areas VALUES ('dfbba08410f3c840d25e270f3954402d967880a2c03e344adfd29401d1784b9c', 'sokoban', 'a corridor', '{"size":"3x7","boxes":1,"floor":5}', '#######
#@ $ .#
#######
Title: a corridor
', 42, 2);
INSERT INTO public.areas VALUES ('4963cc5600803413530cbe8fdd793e1caa7f19d8dae7fe2443cdaa06f5704c5d', 'sokoban', 'level 1', '{"size":"4x7","boxes":2,"floor":10}', '#######
#@ $ .#
#.$   #
#######
Title: level 1
', 47, 3);
INSERT INTO public.areas VALUES ('f1c0e6d3a5da91e42cc988b2195c41147a253b7e664ac6c597f08ed437824390', 'last-of-us', 'area-0-sample', '{"size":"10x10","clickers":5,"bricks":2}', 'area-0-sample
10 10 2
##########
#X.......#
####..C..#
#...C....#
#.....#..#
#C....#..#
#.....#C.#
#....##.C#
#E.......#
##########
', 132, 12);
INSERT INTO public.areas VALUES ('2020e0fe307214cec796adc262fcabb08886a54f29bc446e37f2b48a967c71a9', 'sokoban', 'level 1', '{"size":"4x6","boxes":1,"floor":8}', '######
#@ $ #
#  . #
######
Title: level 1
', 43, 0);
INSERT INTO public.names VALUES ('last-of-us/area-0-sample', 'last-of-us', 'f1c0e6d3a5da91e42cc988b2195c41147a253b7e664ac6c597f08ed437824390');
INSERT INTO public.names VALUES ('sokoban/corridor', 'sokoban', 'dfbba08410f3c840d25e270f3954402d967880a2c03e344adfd29401d1784b9c');
INSERT INTO public.names VALUES ('sokoban/two', 'sokoban', '4963cc5600803413530cbe8fdd793e1caa7f19d8dae7fe2443cdaa06f5704c5d');
INSERT INTO public.plans VALUES ('dfbba08410f3c840d25e270f3954402d967880a2c03e344adfd29401d1784b9c', 'rRR
', 2, '{"pushes":2,"moves":3}', '0000000000000000000200000000000000000003', 1795890847251, 'outwit');
INSERT INTO public.plans VALUES ('4963cc5600803413530cbe8fdd793e1caa7f19d8dae7fe2443cdaa06f5704c5d', 'rRRldL
', 3, '{"pushes":3,"moves":6}', '0000000000000000000300000000000000000006', 1795890847466, 'outwit');
INSERT INTO public.plans VALUES ('f1c0e6d3a5da91e42cc988b2195c41147a253b7e664ac6c597f08ed437824390', '13
w 1 0
w 1 0
w 1 1
w 0 1
b 2 5
b 4 4
w 0 1
w 0 1
w -1 1
w 1 1
w -1 1
w -1 0
w -1 0
', 13, '{"bricks":2,"readings":"default, still-is-silent, fixed-order, still-is-silent+fixed-order","robust":"yes"}', '000000000000000000130000000000000000000000000000000000000002', 1795890847732, 'outwit');
INSERT INTO public.searches VALUES ('29c36f1cc43b5e9d7f1ef523ad0859b3', 'dfbba08410f3c840d25e270f3954402d967880a2c03e344adfd29401d1784b9c', 'sokoban', 'sokoban/corridor', '{"seconds":2.0,"memory_mib":16,"threads":1,"processes":1,"nodes":20000,"seed":1}', '', 'done', 1, NULL, false, 1, NULL, '{"verdict":"optimal","optimal":true,"length":2,"bound":2,"gap":0.0,"plan":"rRR\n","plan_facts":{"pushes":2,"moves":3},"refused":null,"effort":{"seconds":0.000327628,"expanded":2,"generated":2,"memory_bytes":94376,"stopped":null},"notes":{"measure":"pushes"},"searches":[{"name":"astar","turns":1,"expanded":2,"generated":2,"seconds":0.000057987,"memory_bytes":94376,"length":2,"bound":2,"ended":"proven"}],"best_known":true,"certificate":{"text":"outwit certificate 1\ngame sokoban\narea dfbba08410f3c840d25e270f3954402d967880a2c03e344adfd29401d1784b9c\nmeasure pushes\nreadings default\nclaim no plan is shorter than 2\nstates 0\n","reason":null}}', NULL, 1795890847042, 1795890847245, 1795890847253, '5889dec6d48012561cbf468fc9b35d1772f7102319d2386ad9a070435fbae871', NULL, NULL, NULL, true);
INSERT INTO public.searches VALUES ('1b515f3e1f8deee95a7b44ddcd6fe2b1', 'f1c0e6d3a5da91e42cc988b2195c41147a253b7e664ac6c597f08ed437824390', 'last-of-us', 'last-of-us/area-0-sample', '{"seconds":2.5,"memory_mib":16,"threads":1,"processes":1,"nodes":null,"seed":1}', '', 'queued', 1, NULL, false, 0, NULL, NULL, NULL, 1795890847974, NULL, NULL, 'df110a5595af693dfeb47ba240bf2b6544db34d40c374f1daf8e51846f620262', NULL, NULL, NULL, false);
INSERT INTO public.searches VALUES ('445138dcff962573e54d130ac8180d60', '4963cc5600803413530cbe8fdd793e1caa7f19d8dae7fe2443cdaa06f5704c5d', 'sokoban', 'sokoban/two', '{"seconds":2.0,"memory_mib":16,"threads":1,"processes":1,"nodes":20000,"seed":1}', NULL, 'done', 1, NULL, false, 1, NULL, '{"verdict":"optimal","optimal":true,"length":3,"bound":3,"gap":0.0,"plan":"rRRldL\n","plan_facts":{"pushes":3,"moves":6},"refused":null,"effort":{"seconds":0.000470599,"expanded":7,"generated":6,"memory_bytes":693784,"stopped":null},"notes":{"strategy":"bidirectional"},"searches":[{"name":"bidirectional","turns":1,"expanded":3,"generated":6,"seconds":0.000114025,"memory_bytes":693784,"length":3,"bound":null,"ended":"resting"},{"name":"windows","turns":1,"expanded":4,"generated":0,"seconds":0.000070133,"memory_bytes":132,"length":null,"bound":null,"ended":"exhausted"}],"best_known":true}', NULL, 1795890847263, 1795890847455, 1795890847467, '702d8ca65979cadf36825d90ba14d04e8e375c9655c4eefe17366d242e32a6c4', NULL, NULL, NULL, false);
INSERT INTO public.searches VALUES ('ba03db050d2803f6c8377c3662f8bd5b', '2020e0fe307214cec796adc262fcabb08886a54f29bc446e37f2b48a967c71a9', 'sokoban', 'level 1', '{"seconds":2.0,"memory_mib":16,"threads":1,"processes":1,"nodes":20000,"seed":1}', NULL, 'done', 1, NULL, false, 1, NULL, '{"verdict":"impossible","optimal":false,"length":null,"bound":null,"gap":null,"plan":null,"plan_facts":{},"refused":null,"effort":{"seconds":0.000056466,"expanded":0,"generated":0,"memory_bytes":0,"stopped":null},"notes":{},"best_known":false}', NULL, 1795890847759, 1795890847936, 1795890847941, '321c04172712f946fde1460a0491ce1e7e19accc459162eda4f079b3947bd592', NULL, NULL, NULL, false);
INSERT INTO public.searches VALUES ('271bbac0d239bf4407e8bae9ef7f2137', 'f1c0e6d3a5da91e42cc988b2195c41147a253b7e664ac6c597f08ed437824390', 'last-of-us', 'last-of-us/area-0-sample', '{"seconds":2.0,"memory_mib":16,"threads":1,"processes":1,"nodes":20000,"seed":1}', NULL, 'done', 1, NULL, false, 1, NULL, '{"verdict":"found","optimal":false,"length":13,"bound":12,"gap":0.08333333333333333,"plan":"13\nw 1 0\nw 1 0\nw 1 1\nw 0 1\nb 2 5\nb 4 4\nw 0 1\nw 0 1\nw -1 1\nw 1 1\nw -1 1\nw -1 0\nw -1 0\n","plan_facts":{"bricks":2,"readings":"default, still-is-silent, fixed-order, still-is-silent+fixed-order","robust":"yes"},"refused":null,"effort":{"seconds":0.054120254,"expanded":20000,"generated":113800,"memory_bytes":1331134,"stopped":"nodes"},"notes":{},"searches":[{"name":"astar","turns":2,"expanded":8795,"generated":15743,"seconds":0.013910777000000001,"memory_bytes":1246730,"length":null,"bound":12,"ended":"nodes"},{"name":"beam","turns":11,"expanded":6192,"generated":54052,"seconds":0.021246293,"memory_bytes":1331134,"length":13,"bound":9,"ended":"exhausted"},{"name":"dives","turns":10,"expanded":5000,"generated":43953,"seconds":0.018567967999999997,"memory_bytes":453688,"length":null,"bound":null,"ended":"resting"},{"name":"abstraction","turns":1,"expanded":13,"generated":52,"seconds":0.000030919,"memory_bytes":23600,"length":null,"bound":10,"ended":"exhausted"}],"best_known":true}', NULL, 1795890847478, 1795890847670, 1795890847733, '5ea41fe0ad54dc249edb4303017dc72fe265fccaff3e8fd5a30e97a448d69f44', NULL, NULL, NULL, false);
INSERT INTO public.searches VALUES ('8d67bffd843b2c60d2228ba4ea6074ce', '4963cc5600803413530cbe8fdd793e1caa7f19d8dae7fe2443cdaa06f5704c5d', 'sokoban', 'sokoban/two', '{"seconds":3.0,"memory_mib":16,"threads":1,"processes":1,"nodes":null,"seed":1}', 'moves', 'queued', 1, NULL, false, 0, NULL, NULL, NULL, 1795890847976, NULL, NULL, '6eebae35db86c7b9b779c40d24111f6d286e2128c596abaab8e8a7154cb02dd8', NULL, NULL, NULL, false);
INSERT INTO public.searches VALUES ('ca45b2cf3b19dcbed6e9bc69ad372e72', '4963cc5600803413530cbe8fdd793e1caa7f19d8dae7fe2443cdaa06f5704c5d', 'sokoban', 'sokoban/two', '{"seconds":4.0,"memory_mib":16,"threads":1,"processes":1,"nodes":null,"seed":1}', 'moves', 'cancelled', 1, NULL, false, 0, NULL, NULL, NULL, 1795890847978, NULL, 1795890847980, '87fe1a59855e678d9aa8974a6de0e99f4940aa154366d773c83dec130e9bca89', NULL, NULL, NULL, false);
ALTER TABLE ONLY public._outwit_migrations
    ADD CONSTRAINT _outwit_migrations_pkey PRIMARY KEY (version);
ALTER TABLE ONLY public.areas
    ADD CONSTRAINT areas_pkey PRIMARY KEY (fingerprint);
ALTER TABLE ONLY public.names
    ADD CONSTRAINT names_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.plans
    ADD CONSTRAINT plans_pkey PRIMARY KEY (area);
ALTER TABLE ONLY public.search_workers
    ADD CONSTRAINT search_workers_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.searches
    ADD CONSTRAINT searches_pkey PRIMARY KEY (id);
CREATE INDEX names_by_area ON public.names USING btree (fingerprint);
CREATE INDEX searches_by_area ON public.searches USING btree (area);
CREATE INDEX searches_by_claim ON public.searches USING btree (claim);
CREATE INDEX searches_by_state ON public.searches USING btree (state, submitted_ms);
CREATE INDEX searches_by_time ON public.searches USING btree (submitted_ms, id);
ALTER TABLE ONLY public.names
    ADD CONSTRAINT names_fingerprint_fkey FOREIGN KEY (fingerprint) REFERENCES public.areas(fingerprint);
ALTER TABLE ONLY public.plans
    ADD CONSTRAINT plans_area_fkey FOREIGN KEY (area) REFERENCES public.areas(fingerprint);
ALTER TABLE ONLY public.searches
    ADD CONSTRAINT searches_area_fkey FOREIGN KEY (area) REFERENCES public.areas(fingerprint);
