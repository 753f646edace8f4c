//! Every sentence of `sentences.toml` and `house.toml`, declared once: key, placeholders, type, and the name it is stored under.
//!
//! A new sentence is a row here and a line in each language's file, where it is explained. Pure: no I/O, no clock.

use super::{Dial, KindWords};

sentences! {
    /// All sentences, by section.
    sentences: Sentences {
        time: TimeWords;
        schedule: ScheduleSentences;
        reply: ReplySentences;
        home: HomeSentences;
        device: DeviceSentences;
        memory: MemorySentences;
        messages: MessageSentences;
        tools: ToolSentences;
        weather: WeatherSentences;
        wind: WindSentences;
        alert: AlertSentences;
        agent: AgentSentences;
        watch: WatchSentences;
        goals: GoalSentences;
    }

    /// Lengths, times of day, days, and the words of lists.
    time: TimeWords {
        hour: [String; 2];
        minute: [String; 2];
        second: [String; 2];
        halves: [String; 2];
        hours: Dial;
        noon(hour, minute, half);
        midnight(hour, minute, half);
        full_hour(hour, half);
        clock(hour, minute, half);
        weekdays: [String; 7];
        months: [String; 12];
        /// Ordinals of the days of a month; 31.
        days: Vec<String>;
        today; tomorrow; yesterday;
        on_weekday(weekday);
        on_date(month, day, nth);
        daily; workdays; weekend;
        every(days);
        once(day, time);
        again(days, time);
        after(length);
        and; or;
        context(date, time, zone, place);
        context_date(weekday, month, day, nth, year);
        nowhere;
        repeats: RepeatWords;
    }

    /// Repetitions by the month, and the refusal of any other.
    repeats: RepeatWords {
        /// First to fourth, and last.
        nth: [String; 5];
        on_nth(nth, days);
        on_day(day);
        last_day; cannot;
    }

    /// Timers, alarms, reminders, and commands for the house at a time.
    schedule: ScheduleSentences {
        timer: KindWords => Timer = one, TheTimer = the;
        alarm: KindWords => Alarm = one, TheAlarm = the;
        reminder: KindWords => Reminder = one, TheReminder = the;
        house: KindWords => House = one;
        to_do(text) => ToDo;
        to_do_at(text, at) => ToDoAt;
        set_house(when, text);
        house_missed(list) => HouseMissed;
        house_failed(list) => HouseFailed;
        house_unknown(list) => HouseUnknown;
        named(name, kind) => Named;
        foreign_named(name, kind) => ForeignNamed;
        to_remind(text) => ToRemind;
        by_length(length, bare, kind) => ByLength;
        by_time(time, kind) => ByTime;
        rings(time);
        rings_named(time, name);
        rings_reminder(text);
        missed(list) => Missed;
        was_due(the, called, at) => WasDue;
        wrong_clock => WrongClock;
        clock_forward(length) => ClockForward;
        clock_back(length) => ClockBack;
        unreadable => TimersUnreadable;
        set_timer(short, length);
        set_alarm(short, when);
        set_reminder(when, text);
        of_nothing;
        changed_timer(short, left);
        snoozed(short, left);
        paused(called, left);
        resumed(called, left);
        is_ringing(the, called);
        left_on(left, the, short);
        left_until(left, the, called);
        left_each(left, called);
        it_rings;
        it_stands(left);
        list_ringing(called);
        list_left(called, left);
        list_missed(called, at);
        list_more(count);
        none;
        none_of(kinds);
        cancelled(called);
        cancelled_reminder(called);
        cancelled_of(count, kinds);
        cancelled_all(count);
        skipped(list, day): [String; 2];
        no_such(no);
        no_such_name(no, name);
        no_such_length(no, length);
        no_such_time(no);
        no_such_day(no);
        which(list);
        with_left(called, left); for_how_long; for_when; of_what; nothing_rings; is_over; too_long; too_many;
    }

    /// Answers without a model, and sentences in place of a model's answer.
    reply: ReplySentences {
        time(time);
        date(weekday, month, day, nth, year);
        /// Of a day other than today; then of one to come, with the days until then, and of one that is over.
        date_of(weekday, month, day, nth, year);
        date_ahead(weekday, month, day, nth, year, days);
        date_was(weekday, month, day, nth, year);
        no_such_day; no_such_time; heads; tails;
        rolled(number);
        abilities; nature; hears; home_again; nothing_said_yet; nothing_to_take_back; not_taken_back;
        louder; quieter;
        volume(percent);
        welcome; all_right; good_morning; good_afternoon; good_evening; goodbye; good_night; waking;
        trouble; unwell; lost_thread; not_done;
        /// In place of `not_done`, where something else was done.
        not_all_done;
        left_alone; is_that_a_yes; not_understood; unfinished;
        /// In front of results that were found until then.
        not_finished;
        nothing_heard;
        /// In answer to a text of more characters than are read at once.
        too_much_text;
        no_timers; muddled; came_out_wrong;
        /// In place of an answer that only repeats the request.
        no_answer;
        /// In place of `no_answer`, where the user speaks of their own life.
        listening; listening_sad; listening_glad;
        /// In answer to a question only the user can answer.
        untold;
        shall_i(deed);
        /// `shall_i` with the user's own words.
        shall_i_do(said);
        forbidden_by_settings; go_on;
        /// While a tool takes long, and when it has failed, by the cause.
        taking_long; failed_no_place; failed_network; failed_service; failed_slow; failed_broken;
        /// Without a model, before one is ready, and where a long answer has no further part.
        no_model; still_starting; no_more;
    }

    /// The answer to a command for the house while none is connected.
    home: HomeSentences {
        missing(deed);
        on(thing);
        off(thing);
        up(thing);
        down(thing);
        open(thing);
        close(thing);
        lock(thing);
        unlock(thing);
        colour(thing);
        percent(thing, level);
        degrees(thing, level);
    }

    /// Announcements about devices and the start.
    device: DeviceSentences {
        microphone_lost => MicrophoneLost;
        room_lost(room) => RoomLost;
        awake => Awake;
    }

    /// Answers about the memory.
    memory: MemorySentences {
        remembered(about);
        known(about);
        wished(text);
        what;
        no_secrets; failed;
        nothing_about(about);
        one_thing(about); things(count, about);
        one_thing_set(about); things_set(count, about);
        replace(about, now); holds_now(about, now);
        everything; left_alone; gone_one; gone; gone_everything; facts; wishes; nothing; one_more;
        more(count);
        diary;
        was_damaged(list);
        lost_at_most(lost);
        lost_timers(count): [String; 3];
        lost_notes(count): [String; 3];
        lost_memories(count): [String; 3];
        lost_messages(count): [String; 3];
        lost_other(count): [String; 3];
    }

    /// Additions to messages that leave the house, and answers to messages.
    messages: MessageSentences {
        perhaps_again;
        late(at);
        last(time);
        stale(at);
        too_long; too_many; words_only; note_unknown;
        note_too_long(length);
        note_unclear; note_unheard; thumb_up; test;
    }

    /// Results of tools, and the questions before a call.
    tools: ToolSentences {
        shopping; notes; noted;
        added(items, list): [String; 2];
        listed(items, list); not_listed(list); removed(items, list); which_entry(items); cleared(list);
        on_notes(count, older, items): [String; 3];
        on_list(list, count, older, items): [String; 3];
        notes_empty;
        list_empty(list);
        no_list(list);
        lists(items): [String; 3];
        no_notes; no_timers; no_memory; remembered;
        sum(value);
        about;
        time_in(time, weekday, city);
        time_here(time, weekday);
        ask_note(text); ask_add(text, list); ask_remove(text, list); ask_clear(list); ask_read(list);
        ask_time(city); ask_here;
        ask_set(kind, when); ask_set_named(kind, name, when); ask_remind(name, when);
        ask_change(named, when); ask_cancel(named);
        ask_cancel_every(kind, kinds);
        ask_cancel_all; ask_timers; ask_louder; ask_quieter;
        ask_volume(percent);
        ask_some_volume;
        ask_remember(text);
        ask_search(text);
        ask_weather(place);
        ask_weather_here;
        ask_outside(tool, server);
        ask_outside_with(tool, server, values);
        ask_home_find(text);
        ask_home_read(thing);
        ask_home_command(thing, value);
    }

    /// The weather.
    weather: WeatherSentences {
        now(place, warmth, sky);
        now_and_today(place, warmth, sky, day);
        later(place, when, day);
        tomorrow(weekday);
        day(low, high, sky);
        rain(percent);
        gusts(speed);
        skies: SkyWords;
    }

    /// States of the sky.
    skies: SkyWords {
        clear; clouds; overcast; fog; drizzle; rain; snow; showers; snow_showers; thunderstorms; changing;
    }

    /// Proactive messages, their openings, and answers to wishes for quiet.
    wind: WindSentences {
        openings(fact): Vec<String>;
        left_open(name, length) => LeftOpen;
        too_warm(name, degrees) => TooWarm;
        too_cold(name, degrees) => TooCold;
        warmth_changed(name, degrees) => WarmthChanged;
        arrived(length) => Arrived;
        left_late => LeftLate;
        weather_alert(text) => WeatherAlert;
        notice(text) => HouseNotice;
        not_now;
        quiet_until(when);
        sleep_well(when);
        talks_again;
    }

    /// Alarms, one text for each danger.
    alert: AlertSentences {
        smoke_alarm(name) => SmokeAlarm; fire_alarm(name) => FireAlarm;
        gas_leak(name) => GasLeak; water_leak(name) => WaterLeak;
        intrusion_detected(name) => IntrusionDetected;
        security_alert(name) => SecurityAlert;
        storm_warning(name) => StormWarning; flood_warning(name) => FloodWarning;
        high(text) => HighAlert; test => TestAlarm;
        house_lost(length) => HouseLost; house_back => HouseBack;
        acknowledged; none;
    }

    /// Agents: their questions, what they do, and answers to orders about them.
    agent: AgentSentences {
        may_it(name, text) => AgentMay; may(name); may_not(name); too_late(name, text); nobody_asks;
        lapsed(name, text) => AgentLapsed; outcome_unknown(name, text) => AgentOutcomeUnknown;
        paused(name); resumed(name); does(name, what); asleep; asleep_until(at); looking; thinking; waiting; ended;
        resting; answers; unreachable(name); not_running; silent(name);
    }

    /// Watches: what has happened, what is watched for, and answers to orders.
    watch: WatchSentences {
        is(thing, state) => WatchIs; are(things, state) => WatchAre; rings(thing) => WatchRings;
        is_for(thing, state, length) => WatchIsFor; are_for(things, state, length) => WatchAreFor;
        sun_has_set => WatchSunHasSet; sun_has_risen => WatchSunHasRisen; gone(things) => WatchGone;
        when_is(thing, state) => WhenIs; when_are(things, state) => WhenAre; when_rings(thing) => WhenRings;
        when_is_for(thing, state, length) => WhenIsFor; when_are_for(things, state, length) => WhenAreFor;
        when_sun_sets => WhenSunSets; when_sun_rises => WhenSunRises; any_of(things) => WatchAnyOf; on => WatchOn;
        off => WatchOff; open => WatchOpen; closed => WatchClosed; locked => WatchLocked; unlocked => WatchUnlocked;
        done => WatchDone; home => WatchHome; away => WatchAway; text(text) => WatchText; below(limit) => WatchBelow;
        above(limit) => WatchAbove; failed(text) => WatchFailed; unknown(text) => WatchUnknown;
        too_late(text) => WatchTooLate; tell_once(what); tell_always(what); do_once(what, text);
        do_always(what, text); already; counting; that_is(at); until(at); same; none; no_house; too_many(count);
        list(list); removed(list); item_tell(what); item_tell_always(what); item_do(what, text);
        item_do_always(what, text); item_until(text, at); no_such(thing); cannot(thing); only_power(thing);
        no_presence(thing); nothing_shows; deed_time; no_end; not_stored;
    }

    /// Goals that joi works on in the background.
    goals: GoalSentences {
        opened(name); open_already(name); too_many(count); no_goals; list(items): [String; 2]; working(name);
        waiting(name); over(name); tasks(count): [String; 2]; notes(count): [String; 2]; last(text);
        last_foreign(text); told(name); resumed(name); left(name); archived(name); which(items); unknown(name);
        nothing_today; today(items); day_of(name, text); messages(count): [String; 2]; no_news;
        done_tasks(count): [String; 2]; item(text, source) => FeedItem; ask_open(name);
        item_foreign(text, source) => FeedItemForeign;
        says(name, text) => GoalSays; says_foreign(name, text) => GoalSaysForeign; ask_say(name); ask_work(name);
        ask_leave(name); ask_end(name); ask_look; not_stored;
    }

    /// Answers about a connected house, `[say]` of `house.toml`.
    say: HouseSentences {
        yes_home; no_home; nobody_home;
        yes_on; yes_off; yes_open; yes_closed; yes_locked; yes_unlocked;
        no_on; no_off; no_open; no_closed; no_locked; no_unlocked;
        all_of_them(count); none_of_them;
        only_some(state, things);
        count(count, things);
        is_locked; is_unlocked;
        list(things); none; not_known_of(things); unknown(thing);
        value(thing, value);
        is_on; is_off; is_open; is_closed;
        percent(n); degrees(n); degrees_fahrenheit(n);
        and; or;
        in_room(thing, room);
        decimal;
        which(things);
        which_room;
        no_such(thing);
        not_permitted(thing);
        read_only(thing);
        cannot(thing);
        out_of_range(thing, nearest);
        sure_entrance(thing); sure_valve(thing); sure_alarm(thing); sure_configured(thing);
        and_more(things, count);
        done(thing);
        /// Of one thing, and of several under one name.
        done_on(thing): [String; 2];
        done_off(thing): [String; 2];
        underway; sent;
        sent_too(things);
        not_confirmed(things);
        partly(things);
        outcome_unknown(things);
        not_sent; not_reached;
        /// Causes of `not_reached`, where they are known.
        starting;
        no_token; no_rights; wrong_address; too_old;
        left_out(things);
        clamped(thing, nearest);
        not_accepted; foreign_words; not_back; not_later; nobody_there; no_moment;
        later(thing, value);
    }

    /// The state of the house for the model, `[summary]` of `house.toml`.
    summary: SummaryWords {
        frame(parts);
        alarm(things);
        present(things);
        nobody; somebody;
        open(things);
        unusual(things);
        weather(things);
        mentioned(things);
        value(thing, value);
        more(count);
    }
}
