# Entry points; the work is in scripts/. Every target sets up what it needs and can be repeated.
.PHONY: test-page test-all cross test-cross test-reproducible demo-home test-home-peers test-peers help run install uninstall test fuzz crash-test test-ollama test-openai attack bench-ollama bench-everyday bench-wishes record-everyday bench-latency bench-pi bench-room eval-say demo bench soak fmt lint doc config-reference install-deps

help:
	@echo "make run           set up, build, fetch the models and start joi; MIND=better also fetches a larger chat model,"
	@echo "                   FEATURES=rustpotter adds wake phrases learnt from recordings"
	@echo "make install       installs the service: for this user, or with sudo for the machine; make uninstall removes it"
	@echo "make demo          a conversation over files, with the latency table"
	@echo "make demo-home     a simulated openHAB house on this machine (ARGS: as for joi home demo)"
	@echo "make test          all tests, with the real models and a real sound server"
	@echo "make test-all      make test, then packages, a cross build, the real Ollama, other clients and a soak; takes hours"
	@echo "make fuzz          fuzzes every parser of untrusted bytes, MINUTES=n for each"
	@echo "make attack        sentences that must not act, and plain requests, with models that obey, lie, or are not there"
	@echo "make crash-test    kills the program repeatedly while a thousand timers are set"
	@echo "make test-ollama   the model client against the real Ollama (needs Go)"
	@echo "make test-openai   the model client against llama-cpp-python's server (needs Python and a C++ compiler)"
	@echo "make test-home-peers  python-openhab's own tests and HABApp against the simulated house (needs Python)"
	@echo "make test-peers    these, servers of tools that others wrote, the conformance suite of MCP (needs Node and Python),"
	@echo "                   the Wyoming protocol's own library and benchmark, and hassil on the intents project's own test sentences (SOURCES=its checkout)"
	@echo "make test-page     uses the page in Chromium as an owner does, at two widths, and looks for barriers (needs Node)"
	@echo "make soak          24 hours of sound in minutes: memory, threads, descriptors, false turns (ARGS: as for joi-bench soak)"
	@echo "make bench-room    15 minutes of barge-in in a simulated room, on a real sound server: distributions"
	@echo "make bench-ollama  compares Ollama with joi-model: first token, shared prompt, embeddings"
	@echo "make bench-everyday  everyday questions in every language, compared with the model alone (ARGS: as for joi-bench)"
	@echo "make record-everyday  records the embedded model's answers to the everyday questions again"
	@echo "make bench-wishes  wishes in words that no pattern serves: own tools, tools of other programs, a hundred of them (ARGS: as for joi-bench)"
	@echo "make bench-latency  time from the last word to the first sound, at the loudspeaker of a sound server (PEER=1: also a chain of other programs; PEER=chat: that chain with joi's chat model)"
	@echo "make bench-pi      measures this machine in about five minutes and prints one table (ARGS: as for joi bench machine)"
	@echo "make eval-say      measures how much of what people say is understood without a model, by kind and language"
	@echo "make bench         benchmarks"
	@echo "make deb           a Debian package, ARCH=amd64|arm64; make deb-models packages the models, make test-deb tests both (ARCH=arm64: under an emulator)"
	@echo "make release       an apt repository of these packages, the sources, release notes; KEY=... signs it"
	@echo "make cross TARGET=pi5|pi4|zero2  for a Raspberry Pi, built on this machine"
	@echo "make test-reproducible  builds twice in different directories and compares the bytes (TARGET=pi4)"
	@echo "make test-cross    runs such a build under an emulator and compares it with the native program (TARGET=pi4)"
	@echo "make fmt lint doc  format; check formatting, clippy, rustdoc, dependencies and scripts; build the documentation"
	@echo "make config-reference  regenerates config/default.toml and docs/user/configuration.md"
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

attack: install-deps
	@bash -c '. scripts/env.sh && JOI_ATTACK_ALL=1 run_unit_tests -- --nocapture --test-threads=2 attacks:: endless:: unasked::'

crash-test: install-deps
	@bash -c '. scripts/env.sh && ready_for_tests && JOI_CRASH_WRITES=1000 run_tests --test stories -- --nocapture no_confirmed_timer'

test-ollama: install-deps
	@bash -c '. scripts/env.sh && ready_for_tests && scripts/test-ollama.sh'

test-openai: install-deps
	@scripts/test-openai.sh

test-home-peers: install-deps
	@scripts/test-home-peers.sh

test-peers: test-home-peers
	@scripts/test-peers.sh
	@scripts/test-wyoming-peers.sh
	@scripts/test-template-peers.sh $(ARGS)

test-page: install-deps
	@scripts/test-page.sh

bench-ollama: install-deps
	@bash -c '. scripts/env.sh && ready && scripts/test-ollama.sh bench'

bench-everyday: install-deps
	@scripts/bench-everyday.sh $(ARGS)

record-everyday: install-deps
	@scripts/record-everyday.sh $(ARGS)

bench-latency: install-deps
	@scripts/bench-latency.sh $(if $(PEER),--peer "scripts/peer-chain.sh $(if $(filter chat,$(PEER)),--chat)") $(ARGS)

bench-wishes: install-deps
	@scripts/bench-wishes.sh $(ARGS)

bench-pi:
	@scripts/joi.sh bench machine $(ARGS)

bench-room: install-deps
	@bash -c '. scripts/env.sh && ready && JOI_ROOM_ROUNDS=$${JOI_ROOM_ROUNDS:-10} build test --test live -- --nocapture room::'

eval-say: install-deps
	@bash -c '. scripts/env.sh && run_unit_tests -- --nocapture --test-threads=1 tests::said::'

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
