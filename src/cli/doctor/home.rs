//! Whether the house is connected: address, token, version, semantic model.

use super::super::context::CliContext;
use crate::app;
use crate::app::checks::Row;
use joi_home::{HomeFault, ServerCheck, hub_names};

/// Returns one row; no configured house is not a fault.
pub(super) fn check(context: &CliContext) -> anyhow::Result<Row> {
    let house = match app::home(context.config(), &context.paths) {
        Ok(Some((house, _))) => house,
        Ok(None) => {
            let told = format!("none is connected; `joi home connect` connects {}", hub_names("or"));
            return Ok(Row::good("house", told));
        }
        Err(fault) => return Ok(Row::bad("house", fault.to_string(), fault.remedy())),
    };
    let address = house.address();
    let checked = context.block_on(async move { Ok(house.check().await) })?;
    Ok(row(checked, &address))
}

/// Returns what was found, with what to do about it.
fn row(checked: Result<ServerCheck, HomeFault>, address: &str) -> Row {
    let found = match checked {
        Ok(found) => found,
        Err(fault) if fault.is_passing() => return Row::fair("house", fault.to_string(), fault.remedy()),
        Err(fault) => return Row::bad("house", fault.to_string(), fault.remedy()),
    };
    let text = format!("{} {} at {address}, {}", found.hub.name, found.version, found.extent());
    match found.remedy() {
        Some(remedy) => Row::fair("house", text, remedy),
        None => Row::good("house", text),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use joi_home::house::HouseRules;
    use joi_home::{HomeServer, HomeToken, Hub, HubPlace, ServerAddress, TokenSource};
    use joi_house_demo::{DemoHass, DemoHome, DemoPhase, DemoWants, HASS_TOKEN, HassPhase, HassWants};

    async fn finding(hub: Hub, url: &str, token: Option<&str>) -> (&'static str, String, String) {
        let token =
            token.map_or(TokenSource::None, |text| TokenSource::Given(HomeToken::read(text).unwrap()));
        let address = ServerAddress::read(url).unwrap();
        let place = HubPlace { hub, address, token };
        let (house, _) = HomeServer::new(place, HouseRules::default()).unwrap();
        let row = row(house.check().await, "HERE");
        (row.verdict(), row.told, row.remedy)
    }

    fn says(told: &(&'static str, String, String), verdict: &str, what: &str, remedy: &str) {
        assert!(told.0 == verdict && told.1.contains(what) && told.2.contains(remedy), "{told:?}");
    }

    #[tokio::test]
    async fn everything_that_can_be_wrong_with_openhab_has_its_remedy() {
        let hub = Hub::default();
        let shut = DemoWants { token: Some("oh.a.b".into()), is_open: false, ..DemoWants::default() };
        let demo = DemoHome::start(shut).await.unwrap();
        says(&finding(hub, &demo.url(), Some("oh.a.b")).await, "good", "openHAB 5.2.1 at HERE, 61 items", "");
        says(
            &finding(hub, &demo.url(), Some("oh.x.y")).await,
            "bad",
            "does not accept the token",
            "Make a new token",
        );
        says(&finding(hub, &demo.url(), None).await, "bad", "wants a token", "Make a token");
        demo.phase(DemoPhase::BadGateway);
        says(
            &finding(hub, &demo.url(), None).await,
            "fair",
            "status 502",
            "address of the server in the proxy",
        );
        demo.phase(DemoPhase::NoService);
        says(&finding(hub, &demo.url(), None).await, "fair", "starting or stopping", "Wait a minute");
        let url = demo.url();
        drop(demo);
        says(&finding(hub, &url, None).await, "fair", "no connection to", "its address is right");

        let old =
            DemoHome::start(DemoWants { version: "3.4.0".into(), ..DemoWants::default() }).await.unwrap();
        says(&finding(hub, &old.url(), None).await, "bad", "3.4.0 is too old; 4.0 or newer", "Update it");
        let row = json!({"type": "Switch", "name": "Lamp", "state": "OFF", "tags": [], "groupNames": []});
        let flat = DemoHome::start(DemoWants { items: vec![row], ..DemoWants::default() }).await.unwrap();
        says(&finding(hub, &flat.url(), None).await, "fair", "1 items, none in rooms", "Settings, Model");
        let forbidden = super::row(Err(HomeFault::Forbidden), "HERE");
        assert!(
            forbidden.verdict() == "bad" && forbidden.remedy.contains("role user"),
            "{}",
            forbidden.remedy
        );
    }

    #[tokio::test]
    async fn everything_that_can_be_wrong_with_home_assistant_has_its_remedy() {
        let hub = Hub::named("home-assistant").unwrap();
        let demo = DemoHass::start(HassWants::default()).await.unwrap();
        says(
            &finding(hub, &demo.url(), Some(HASS_TOKEN)).await,
            "good",
            "Home Assistant 2026.11.1 at HERE",
            "",
        );
        says(
            &finding(hub, &demo.url(), Some("x")).await,
            "bad",
            "does not accept the token",
            "Home Assistant: Security",
        );
        says(&finding(hub, &demo.url(), None).await, "bad", "wants a token", "Home Assistant: Security");
        demo.phase(HassPhase::Starting);
        says(&finding(hub, &demo.url(), Some(HASS_TOKEN)).await, "fair", "starting", "Wait a minute");
        let other = DemoHome::start(DemoWants::default()).await.unwrap();
        says(
            &finding(hub, &other.url(), Some(HASS_TOKEN)).await,
            "bad",
            "no home automation server that joi knows",
            "own page of openHAB or Home Assistant",
        );
        let user = DemoHass::start(HassWants { is_admin: false, ..HassWants::default() }).await.unwrap();
        says(
            &finding(hub, &user.url(), Some(HASS_TOKEN)).await,
            "bad",
            "may not do that",
            "Home Assistant: administrator",
        );
        let old =
            DemoHass::start(HassWants { version: "2022.1.0".into(), ..HassWants::default() }).await.unwrap();
        says(
            &finding(hub, &old.url(), Some(HASS_TOKEN)).await,
            "bad",
            "2022.1.0 is too old; 2023.5",
            "Update it",
        );
    }
}
