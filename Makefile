# What one types; the work is in scripts/. Every target sets up what it needs and can be repeated.
.PHONY: test-all cross test-cross test-reproducible demo-home test-home-peers help run install uninstall test fuzz crash-test test-ollama bench-ollama bench-everyday record-everyday bench-latency bench-pi bench-room demo bench soak fmt lint doc config-reference install-deps

help:
	@echo "make run           set up, build, fetch the models, and talk to Joi; MIND=better fetches a better chat model too,"
	@echo "                   FEATURES=rustpotter builds in phrases that are known by recordings alone"
	@echo "make install       as a service: for this user, or with sudo for the machine; make uninstall takes it back"
	@echo "make demo          a conversation over files, with the latency table"
	@echo "make demo-home     a house to try: openHAB's double with furniture, on this machine (ARGS: as for joi home demo)"
	@echo "make test          all tests, with the real models and a real sound server"
	@echo "make test-all      everything there is to test: also packages, a cross build, the real Ollama, other clients, a soak; hours"
	@echo "make fuzz          damaged input for every reader of foreign bytes, MINUTES=n for each"
	@echo "make crash-test    kills the program again and again while a thousand timers are set"
	@echo "make test-ollama   the model client against the real Ollama (needs Go)"
	@echo "make test-home-peers  python-openhab's own tests and HABApp against the house to try (needs Python)"
	@echo "make soak          24 hours of sound in minutes: memory, threads, descriptors, turns nobody asked for (ARGS: as for joi-bench soak)"
	@echo "make bench-room    a quarter of an hour of talking over her in a room, on a real sound server: distributions"
	@echo "make bench-ollama  the real Ollama beside joi-model: the first token, one shared prompt, real vectors"
	@echo "make bench-everyday  everyday questions in every language, beside the model alone (ARGS: as for joi-bench)"
	@echo "make record-everyday what the embedded model alone says to the everyday questions of the tests, written down anew"
	@echo "make bench-latency from the last word to her first sound, at the loudspeaker of a sound server (PEER=1: a chain of other programs too; PEER=chat: that with her chat model)"
	@echo "make bench-pi      what this machine can do for her, in some five minutes, as one table to paste (ARGS: as for joi bench machine)"
	@echo "make bench         benchmarks"
	@echo "make deb           a Debian package, ARCH=amd64|arm64; make deb-models the one with her models, make test-deb tries them (ARCH=arm64: under an emulator)"
	@echo "make release       an apt repository of these packages, the sources, release notes; KEY=... signs it"
	@echo "make cross TARGET=pi5|pi4|zero2  for a Raspberry Pi, built on this machine"
	@echo "make test-reproducible  two such builds at different places, which have to be the same bytes (TARGET=pi4)"
	@echo "make test-cross    such a build under an emulator, beside the program of this machine (TARGET=pi4)"
	@echo "make fmt lint doc  format; check everything; build the documentation"
	@echo "make config-reference  config/default.toml and docs/user/configuration.md, from the types"
	@echo "make install-deps  only install what building needs"

run:
	@scripts/joi.sh run

install:
	@scripts/install.sh

uninstall:
	@scripts/install.sh uninstall

demo-home:
	@scripts/joi.sh home demo $(ARGS)

test:
	@scripts/test.sh

test-all:
	@scripts/test-all.sh $(ARGS)

fuzz: install-deps
	@scripts/fuzz.sh

crash-test: install-deps
	@bash -c '. scripts/env.sh && ready_for_tests && JOI_CRASH_WRITES=1000 run_tests --test stories -- --nocapture no_confirmed_timer'

test-ollama: install-deps
	@bash -c '. scripts/env.sh && ready_for_tests && scripts/test-ollama.sh'

test-home-peers: install-deps
	@scripts/test-home-peers.sh

bench-ollama: install-deps
	@bash -c '. scripts/env.sh && ready && scripts/test-ollama.sh bench'

bench-everyday: install-deps
	@scripts/bench-everyday.sh $(ARGS)

record-everyday: install-deps
	@scripts/record-everyday.sh $(ARGS)

bench-latency: install-deps
	@scripts/bench-latency.sh $(if $(PEER),--peer "scripts/peer-chain.sh $(if $(filter chat,$(PEER)),--chat)") $(ARGS)

bench-pi:
	@scripts/joi.sh bench machine $(ARGS)

bench-room: install-deps
	@bash -c '. scripts/env.sh && ready && JOI_ROOM_ROUNDS=$${JOI_ROOM_ROUNDS:-10} build test --test live -- --nocapture room::'

soak: install-deps
	@scripts/soak.sh $(ARGS)

.PHONY: deb deb-models test-deb release
deb:
	@scripts/deb.sh

deb-models:
	@scripts/deb.sh models

test-deb:
	@scripts/test-deb.sh

release:
	@scripts/release.sh

demo:
	@scripts/demo.sh

bench: install-deps
	@bash -c '. scripts/env.sh && cargo bench --workspace --locked'

cross:
	@scripts/cross.sh "$(TARGET)"

test-cross:
	@scripts/test-cross.sh

test-reproducible:
	@scripts/test-reproducible.sh

fmt: install-deps
	@bash -c '. scripts/env.sh && cargo fmt --all'

lint:
	@scripts/lint.sh

doc: install-deps
	@bash -c '. scripts/env.sh && build doc --no-deps'

config-reference: install-deps
	@bash -c '. scripts/env.sh && JOI_UPDATE_REFERENCE=1 run_unit_tests -- config::reference'

install-deps:
	@scripts/setup.sh
