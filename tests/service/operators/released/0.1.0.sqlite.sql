-- A store of version 0.1.0 as SQLite had it: two areas of Sokoban and one of the Last of Us with their best
-- plans; four jobs that are done, one of them with a certificate, one that was cancelled, two that wait.
BEGIN TRANSACTION;
CREATE TABLE _outwit_migrations (
    version BIGINT PRIMARY KEY,
    description TEXT NOT NULL,
    installed_on TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP,
    success BOOLEAN NOT NULL,
    checksum BLOB NOT NULL,
    execution_time BIGINT NOT NULL
);
INSERT INTO "_outwit_migrations" VALUES(20261121000001,'areas plans jobs','2026-11-28 18:34:04',1,X'2D215593C5D7BD96C21346867E45B1FA921EB039BAC2103A47F31E16D8B0C09DE11E5A162441B22BD96A5E8EF9633782',848516);
INSERT INTO "_outwit_migrations" VALUES(20261123000001,'owners','2026-11-28 18:34:04',1,X'F79BF8E638060A7DD245FFF79FAD75570D14B6907DA6E14279DDCBDC74912CD9E3D501DF94DC835C7C446C8B0307B5F3',366821);
INSERT INTO "_outwit_migrations" VALUES(20261123000002,'improving','2026-11-28 18:34:04',1,X'92C07F9B7DA1E4BDD2DADE6BC0CA2727591DA0F4F929675DE712FF49C4E0C9D389339FC9F405947E7565B00CB1379184',624064);
INSERT INTO "_outwit_migrations" VALUES(20261123000003,'positions','2026-11-28 18:34:04',1,X'20E7A1E5A2E0A6E02BB48F72C5C6768D6072AE7EB234A5BFABE99A5729BD0B532D4DEB54D3527A278BE0D326002E9F60',303248);
INSERT INTO "_outwit_migrations" VALUES(20261126000001,'workers','2026-11-28 18:34:04',1,X'3E5DCE9D95D48EA4D12C2C92D989B68BC852BF58FDD035E564A74C3BA3675D2C6CAB4A8AF558ACB2E416618EB7F4A2A4',305794);
INSERT INTO "_outwit_migrations" VALUES(20261128000001,'certificates','2026-11-28 18:34:04',1,X'4D1B1A13FA45CEC734DBF76B7092D4429F3B9C3DB94C41C0408CCF8899DDB37B19A1B6648CBA8586EB682B7A98F9220B',180754);
CREATE TABLE areas (
    fingerprint TEXT PRIMARY KEY,
    game TEXT NOT NULL,
    title TEXT NOT NULL,
    facts TEXT NOT NULL,
    text TEXT NOT NULL,
    bytes BIGINT NOT NULL,
    -- No plan is shorter, as far as is proven.
    bound BIGINT NOT NULL DEFAULT 0
);
INSERT INTO "areas" VALUES('f1c0e6d3a5da91e42cc988b2195c41147a253b7e664ac6c597f08ed437824390','last-of-us','area-0-sample','{"size":"10x10","clickers":5,"bricks":2}','area-0-sample
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
',132,12);
INSERT INTO "areas" VALUES('dfbba08410f3c840d25e270f3954402d967880a2c03e344adfd29401d1784b9c','sokoban','a corridor','{"size":"3x7","boxes":1,"floor":5}','#######
#@ $ .#
#######
Title: a corridor
',42,2);
INSERT INTO "areas" VALUES('4963cc5600803413530cbe8fdd793e1caa7f19d8dae7fe2443cdaa06f5704c5d','sokoban','level 1','{"size":"4x7","boxes":2,"floor":10}','#######
#@ $ .#
#.$   #
#######
Title: level 1
',47,3);
INSERT INTO "areas" VALUES('2020e0fe307214cec796adc262fcabb08886a54f29bc446e37f2b48a967c71a9','sokoban','level 1','{"size":"4x6","boxes":1,"floor":8}','######
#@ $ #
#  . #
######
Title: level 1
',43,0);
CREATE TABLE names (
    id TEXT PRIMARY KEY,
    game TEXT NOT NULL,
    fingerprint TEXT NOT NULL REFERENCES areas (fingerprint)
);
INSERT INTO "names" VALUES('last-of-us/area-0-sample','last-of-us','f1c0e6d3a5da91e42cc988b2195c41147a253b7e664ac6c597f08ed437824390');
INSERT INTO "names" VALUES('sokoban/corridor','sokoban','dfbba08410f3c840d25e270f3954402d967880a2c03e344adfd29401d1784b9c');
INSERT INTO "names" VALUES('sokoban/two','sokoban','4963cc5600803413530cbe8fdd793e1caa7f19d8dae7fe2443cdaa06f5704c5d');
CREATE TABLE plans (
    area TEXT PRIMARY KEY REFERENCES areas (fingerprint),
    plan TEXT NOT NULL,
    length BIGINT NOT NULL,
    facts TEXT NOT NULL,
    rank TEXT NOT NULL
, found_ms BIGINT, found_by TEXT);
INSERT INTO "plans" VALUES('dfbba08410f3c840d25e270f3954402d967880a2c03e344adfd29401d1784b9c','rRR
',2,'{"pushes":2,"moves":3}','0000000000000000000200000000000000000003',1795890844670,'outwit');
INSERT INTO "plans" VALUES('4963cc5600803413530cbe8fdd793e1caa7f19d8dae7fe2443cdaa06f5704c5d','rRRldL
',3,'{"pushes":3,"moves":6}','0000000000000000000300000000000000000006',1795890844877,'outwit');
INSERT INTO "plans" VALUES('f1c0e6d3a5da91e42cc988b2195c41147a253b7e664ac6c597f08ed437824390','13
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
',13,'{"bricks":2,"readings":"default, still-is-silent, fixed-order, still-is-silent+fixed-order","robust":"yes"}','000000000000000000130000000000000000000000000000000000000002',1795890845135,'outwit');
CREATE TABLE search_workers (
    id TEXT PRIMARY KEY,
    beats BIGINT NOT NULL,
    seen_ms BIGINT NOT NULL
);
CREATE TABLE searches (
    id TEXT PRIMARY KEY,
    area TEXT NOT NULL REFERENCES areas (fingerprint),
    game TEXT NOT NULL,
    label TEXT NOT NULL,
    budget TEXT NOT NULL,
    optimal TEXT,
    state TEXT NOT NULL,
    -- Counts submissions of this id: a delivery of an earlier one is of no effect.
    round BIGINT NOT NULL,
    -- Who works on it: only that worker may report or finish.
    claim TEXT,
    cancel BOOLEAN NOT NULL DEFAULT FALSE,
    attempts BIGINT NOT NULL DEFAULT 0,
    progress TEXT,
    result TEXT,
    error TEXT,
    submitted_ms BIGINT NOT NULL,
    started_ms BIGINT,
    finished_ms BIGINT
, owner TEXT, improve TEXT, begun TEXT, worker TEXT, certify BOOLEAN NOT NULL DEFAULT FALSE);
INSERT INTO "searches" VALUES('29c36f1cc43b5e9d7f1ef523ad0859b3','dfbba08410f3c840d25e270f3954402d967880a2c03e344adfd29401d1784b9c','sokoban','sokoban/corridor','{"seconds":2.0,"memory_mib":16,"threads":1,"processes":1,"nodes":20000,"seed":1}','','done',1,NULL,0,1,NULL,'{"verdict":"optimal","optimal":true,"length":2,"bound":2,"gap":0.0,"plan":"rRR\n","plan_facts":{"pushes":2,"moves":3},"refused":null,"effort":{"seconds":0.000684797,"expanded":2,"generated":2,"memory_bytes":94376,"stopped":null},"notes":{"measure":"pushes"},"searches":[{"name":"astar","turns":1,"expanded":2,"generated":2,"seconds":0.000064707,"memory_bytes":94376,"length":2,"bound":2,"ended":"proven"}],"best_known":true,"certificate":{"text":"outwit certificate 1\ngame sokoban\narea dfbba08410f3c840d25e270f3954402d967880a2c03e344adfd29401d1784b9c\nmeasure pushes\nreadings default\nclaim no plan is shorter than 2\nstates 0\n","reason":null}}',NULL,1795890844655,1795890844662,1795890844670,'852e8e6150ee80b092f2c9165b97afb5dc3fd28df741e7817dee0d15ca0ca64a',NULL,NULL,NULL,1);
INSERT INTO "searches" VALUES('445138dcff962573e54d130ac8180d60','4963cc5600803413530cbe8fdd793e1caa7f19d8dae7fe2443cdaa06f5704c5d','sokoban','sokoban/two','{"seconds":2.0,"memory_mib":16,"threads":1,"processes":1,"nodes":20000,"seed":1}',NULL,'done',1,NULL,0,1,NULL,'{"verdict":"optimal","optimal":true,"length":3,"bound":3,"gap":0.0,"plan":"rRRldL\n","plan_facts":{"pushes":3,"moves":6},"refused":null,"effort":{"seconds":0.001786413,"expanded":7,"generated":6,"memory_bytes":693784,"stopped":null},"notes":{"strategy":"bidirectional"},"searches":[{"name":"bidirectional","turns":1,"expanded":3,"generated":6,"seconds":0.001233626,"memory_bytes":693784,"length":3,"bound":null,"ended":"resting"},{"name":"windows","turns":1,"expanded":4,"generated":0,"seconds":0.000107059,"memory_bytes":132,"length":null,"bound":null,"ended":"exhausted"}],"best_known":true}',NULL,1795890844717,1795890844872,1795890844877,'62e2f288dee3af4e35f3809d6bd9830dbd7e26077b154a239b2e5df3c9378add',NULL,NULL,NULL,0);
INSERT INTO "searches" VALUES('271bbac0d239bf4407e8bae9ef7f2137','f1c0e6d3a5da91e42cc988b2195c41147a253b7e664ac6c597f08ed437824390','last-of-us','last-of-us/area-0-sample','{"seconds":2.0,"memory_mib":16,"threads":1,"processes":1,"nodes":20000,"seed":1}',NULL,'done',1,NULL,0,1,NULL,'{"verdict":"found","optimal":false,"length":13,"bound":12,"gap":0.08333333333333333,"plan":"13\nw 1 0\nw 1 0\nw 1 1\nw 0 1\nb 2 5\nb 4 4\nw 0 1\nw 0 1\nw -1 1\nw 1 1\nw -1 1\nw -1 0\nw -1 0\n","plan_facts":{"bricks":2,"readings":"default, still-is-silent, fixed-order, still-is-silent+fixed-order","robust":"yes"},"refused":null,"effort":{"seconds":0.05402211,"expanded":20000,"generated":113800,"memory_bytes":1331134,"stopped":"nodes"},"notes":{},"searches":[{"name":"astar","turns":2,"expanded":8795,"generated":15743,"seconds":0.010649947,"memory_bytes":1246730,"length":null,"bound":12,"ended":"nodes"},{"name":"beam","turns":11,"expanded":6192,"generated":54052,"seconds":0.022110388999999998,"memory_bytes":1331134,"length":13,"bound":9,"ended":"exhausted"},{"name":"dives","turns":10,"expanded":5000,"generated":43953,"seconds":0.020473414,"memory_bytes":453688,"length":null,"bound":null,"ended":"resting"},{"name":"abstraction","turns":1,"expanded":13,"generated":52,"seconds":0.000031422,"memory_bytes":23600,"length":null,"bound":10,"ended":"exhausted"}],"best_known":true}',NULL,1795890844931,1795890845079,1795890845136,'d4b098ef0aff49ee3f8e6e38f76eb2510692163d18c5bc3498cbb6fa4f35c8a1',NULL,NULL,NULL,0);
INSERT INTO "searches" VALUES('ba03db050d2803f6c8377c3662f8bd5b','2020e0fe307214cec796adc262fcabb08886a54f29bc446e37f2b48a967c71a9','sokoban','level 1','{"seconds":2.0,"memory_mib":16,"threads":1,"processes":1,"nodes":20000,"seed":1}',NULL,'done',1,NULL,0,1,NULL,'{"verdict":"impossible","optimal":false,"length":null,"bound":null,"gap":null,"plan":null,"plan_facts":{},"refused":null,"effort":{"seconds":0.000049519,"expanded":0,"generated":0,"memory_bytes":0,"stopped":null},"notes":{},"best_known":false}',NULL,1795890845143,1795890845337,1795890845341,'d570086c997b0629396b23b9d20497cbe4cba1be9665c364e0bdd3aae19873be',NULL,NULL,NULL,0);
INSERT INTO "searches" VALUES('1b515f3e1f8deee95a7b44ddcd6fe2b1','f1c0e6d3a5da91e42cc988b2195c41147a253b7e664ac6c597f08ed437824390','last-of-us','last-of-us/area-0-sample','{"seconds":2.5,"memory_mib":16,"threads":1,"processes":1,"nodes":null,"seed":1}','','queued',1,NULL,0,0,NULL,NULL,NULL,1795890845355,NULL,NULL,'fd7f2fc375dd4ea0df9e9a8f27a81de5085c638750452ee351865e2a8a28c981',NULL,NULL,NULL,0);
INSERT INTO "searches" VALUES('8d67bffd843b2c60d2228ba4ea6074ce','4963cc5600803413530cbe8fdd793e1caa7f19d8dae7fe2443cdaa06f5704c5d','sokoban','sokoban/two','{"seconds":3.0,"memory_mib":16,"threads":1,"processes":1,"nodes":null,"seed":1}','moves','queued',1,NULL,0,0,NULL,NULL,NULL,1795890845357,NULL,NULL,'e59ffd43deb339ab2acf6d38fe897cc3161e1306948ce0655ceee463edb0f32a',NULL,NULL,NULL,0);
INSERT INTO "searches" VALUES('ca45b2cf3b19dcbed6e9bc69ad372e72','4963cc5600803413530cbe8fdd793e1caa7f19d8dae7fe2443cdaa06f5704c5d','sokoban','sokoban/two','{"seconds":4.0,"memory_mib":16,"threads":1,"processes":1,"nodes":null,"seed":1}','moves','cancelled',1,NULL,0,0,NULL,NULL,NULL,1795890845358,NULL,1795890845360,'0d0b0bb2b9883a7da43d9dae16c482962b1363d0eeffbd5e17bede3c62862c87',NULL,NULL,NULL,0);
CREATE INDEX names_by_area ON names (fingerprint);
CREATE INDEX searches_by_state ON searches (state, submitted_ms);
CREATE INDEX searches_by_time ON searches (submitted_ms, id);
CREATE INDEX searches_by_area ON searches (area);
CREATE INDEX searches_by_claim ON searches (claim);
COMMIT;
