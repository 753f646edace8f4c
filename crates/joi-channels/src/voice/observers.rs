//! Those who look on: whoever shows what happens, asks for something from outside, or watches that work is done.
//!
//! Owned by the conversation's task. In: requests. Out: [`News`].

use tokio::sync::mpsc::{Receiver, Sender};

use super::News;
use joi_base::message::{Activity, OutsideRequest};
use joi_base::pulse::{Heart, Working};

/// Those who look on.
pub(super) struct Observers {
    news: Sender<News>,
    requests: Receiver<OutsideRequest>,
    heart: Heart,
    activity: Activity,
}

impl Observers {
    pub(super) fn new(news: Sender<News>, requests: Receiver<OutsideRequest>, heart: Heart) -> Self {
        Self { news, requests, heart, activity: Activity::Idle }
    }

    /// The next request; never when nobody can ask. Cancel-safe.
    pub(super) async fn next_request(&mut self) -> OutsideRequest {
        match self.requests.recv().await {
            Some(request) => request,
            None => std::future::pending().await,
        }
    }

    /// Reports what happened; waits while they can't take it.
    pub(super) async fn report(&self, news: News) {
        // Nobody looks any more: the conversation goes on all the same.
        let _ = self.news.send(news).await;
    }

    /// Reports the activity from here on, if that is new.
    pub(super) async fn show(&mut self, activity: Activity) {
        if std::mem::replace(&mut self.activity, activity) != activity {
            self.report(News::Activity(activity)).await;
        }
    }

    /// The conversation works as long as the guard lives.
    pub(super) fn work(&self) -> Working {
        self.heart.work()
    }
}
