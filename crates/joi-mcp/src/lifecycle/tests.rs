use super::*;

/// A life on a clock that is set by hand.
struct Scene {
    life: Life,
    began: Instant,
    now: Instant,
}

impl Scene {
    fn new(kind: McpServerKind, wanted: Lifecycle, known: Option<Beginning>) -> Self {
        let now = Instant::now();
        Self { life: Life::new(kind, wanted, known), began: now, now }
    }

    fn program() -> Self {
        Self::new(McpServerKind::Program, Lifecycle::Auto, None)
    }

    fn after(&mut self, ms: u64, input: Input) -> Vec<Order> {
        self.now += Duration::from_millis(ms);
        self.life.take(input, self.now)
    }

    fn up(mut self) -> Self {
        self.after(0, Input::Begin);
        assert_eq!(self.after(10, Input::Connected(Beginning::Either)), [Order::List]);
        assert_eq!(self.after(10, Input::Listed), [Order::Offer]);
        self
    }

    /// Milliseconds from now until the next look.
    fn waits(&self) -> Option<u128> {
        self.life.next_look().map(|at| (at - self.now).as_millis())
    }
}

fn refused(why: &str) -> Input {
    Input::NotConnected(StartFault::Beginning(why.into()))
}

#[test]
fn a_server_that_locks_on_the_first_message_is_started_anew_with_each_beginning_and_remembered() {
    let mut scene = Scene::program();
    assert_eq!(scene.after(0, Input::Begin), [Order::Start(Beginning::Either)]);
    assert_eq!(scene.after(12_000, refused("-32022")), [Order::Close, Order::Start(Beginning::Discover)]);
    let orders = scene.after(12_000, Input::Connected(Beginning::Discover));
    assert_eq!(orders, [Order::Remember(Some(Beginning::Discover)), Order::List]);
    let mut old = Scene::program();
    old.after(0, Input::Begin);
    old.after(12_000, refused("out of order"));
    assert_eq!(old.after(50, refused("-32601")), [Order::Close, Order::Start(Beginning::Initialize)]);
    let orders = old.after(12_000, Input::Connected(Beginning::Initialize));
    assert_eq!(orders, [Order::Remember(Some(Beginning::Initialize)), Order::List]);
}

#[test]
fn what_is_remembered_is_used_until_it_fails_and_a_fixed_beginning_is_never_changed() {
    let mut scene = Scene::new(McpServerKind::Program, Lifecycle::Auto, Some(Beginning::Initialize));
    assert_eq!(scene.after(0, Input::Begin), [Order::Start(Beginning::Initialize)]);
    assert_eq!(scene.after(1, refused("-32022")), [Order::Close, Order::Start(Beginning::Discover)]);
    assert_eq!(scene.after(1, refused("silent")), [Order::Close, Order::Remember(None)]);
    assert_eq!(scene.waits(), Some(1_000));
    assert_eq!(scene.after(1_000, Input::Look), [Order::Start(Beginning::Either)]);
    let mut fixed = Scene::new(McpServerKind::Program, Lifecycle::Discover, None);
    assert_eq!(fixed.after(0, Input::Begin), [Order::Start(Beginning::Discover)]);
    assert_eq!(fixed.after(1, refused("-32601")), [Order::Close]);
}

#[test]
fn a_program_that_keeps_dying_is_given_up_and_a_remote_one_never() {
    let lost = || Input::NotConnected(StartFault::Unreachable("no such program".into()));
    let waits = |kind| {
        let mut scene = Scene::new(kind, Lifecycle::Auto, None);
        scene.after(0, Input::Begin);
        let mut waits = Vec::new();
        for _ in 0..7 {
            scene.after(0, lost());
            let Some(wait) = scene.waits() else { break };
            waits.push(wait);
            scene.after(u64::try_from(wait).unwrap(), Input::Look);
        }
        (waits, scene.life.shown())
    };
    let (program, shown) = waits(McpServerKind::Program);
    assert_eq!(
        (program, shown),
        (vec![1_000, 2_000, 4_000, 8_000], LifeState::GivenUp("no such program".into()))
    );
    let (remote, _) = waits(McpServerKind::Remote);
    assert_eq!(remote, [1_000, 2_000, 4_000, 8_000, 300_000, 300_000, 300_000]);
}

#[test]
fn a_long_life_forgets_early_deaths_and_the_tools_go_at_once() {
    let mut scene = Scene::program().up();
    for _ in 0..10 {
        let orders = scene.after(61_000, Input::Lost("ended".into()));
        assert_eq!(orders, [Order::Withdraw, Order::Close]);
        assert_eq!((scene.waits(), scene.life.shown()), (Some(1_000), LifeState::Down("ended".into())));
        assert_eq!(scene.after(1_000, Input::Look), [Order::Start(Beginning::Either)]);
        scene.after(0, Input::Connected(Beginning::Either));
        scene.after(0, Input::Listed);
    }
}

#[test]
fn notices_of_changes_are_taken_together() {
    let mut scene = Scene::program().up();
    assert_eq!(scene.waits(), Some(900_000));
    for _ in 0..4 {
        assert_eq!(scene.after(100, Input::ToolsChanged), []);
    }
    assert_eq!(scene.waits(), Some(500));
    assert_eq!(scene.after(400, Input::Look), [], "too early");
    assert_eq!(scene.after(100, Input::Look), [Order::List]);
    // One that comes meanwhile counts afterwards.
    assert_eq!(scene.after(5, Input::ToolsChanged), []);
    assert_eq!(scene.after(5, Input::Listed), [Order::Offer]);
    assert_eq!(scene.waits(), Some(500));
    // A flood does not put it off for ever.
    let flood = (0..200).map(|_| scene.after(40, Input::ToolsChanged)).collect::<Vec<_>>();
    assert!(flood.iter().all(Vec::is_empty));
    assert!(scene.life.next_look().unwrap() < scene.now, "it is due");
    assert!(scene.began < scene.now);
}

#[test]
fn a_notice_before_the_first_list_and_whatever_comes_late_do_no_harm() {
    let mut scene = Scene::program();
    assert_eq!(scene.after(0, Input::ToolsChanged), []);
    assert_eq!(scene.after(0, Input::Listed), []);
    scene.after(0, Input::Begin);
    assert_eq!(scene.after(0, Input::Connected(Beginning::Either)), [Order::List]);
    assert_eq!(scene.after(0, Input::ToolsChanged), []);
    assert_eq!(scene.after(0, Input::Listed), [Order::Offer]);
    assert_eq!(scene.waits(), Some(500));
    assert_eq!(scene.after(0, Input::End), [Order::Withdraw, Order::Close]);
    assert_eq!(
        (scene.after(0, Input::Begin), scene.waits(), scene.life.shown()),
        (vec![], None, LifeState::Off)
    );
}

#[test]
fn a_call_that_was_not_sent_has_the_tools_listed_at_once_and_a_list_that_fails_ends_the_connection() {
    let mut scene = Scene::program().up();
    assert_eq!(scene.after(10, Input::Doubted), [Order::List]);
    assert_eq!(scene.after(10, Input::Doubted), [], "it is asked for already");
    assert_eq!(scene.after(10, Input::NotListed("closed".into())), [Order::Withdraw, Order::Close]);
}
