//! The types of items, by the names that openHAB gives them.
//!
//! Pure: no I/O, no clock.

/// The type of an item.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum ItemKind {
    /// On or off.
    Switch,
    /// 0 to 100 percent; 0 is off.
    Dimmer,
    /// Hue, saturation, brightness; takes all a dimmer takes.
    Colour,
    /// 0 (open, up) to 100 (closed, down).
    Rollershutter,
    /// Open or closed; can't be commanded.
    Contact,
    /// A number; `dimension` is `Temperature`, `Power` … where it has a unit.
    Number {
        /// The measured quantity.
        dimension: Option<String>,
    },
    /// Any text, often one of a few options.
    Text,
    /// A moment.
    DateTime,
    /// Play, pause, next.
    Player,
    /// Latitude and longitude.
    Position,
    /// A picture; never loaded.
    Image,
    /// A phone call.
    Call,
    /// Other items. With `of` it has a state and takes commands as that type does, and passes them to its members.
    Group {
        /// The type it behaves as.
        of: Option<Box<ItemKind>>,
        /// The function that makes its state of its members': `OR`, `AVG`.
        function: Option<String>,
    },
    /// An unknown type: can be read as text, not commanded.
    Other(String),
}

impl ItemKind {
    /// Reads `Switch`, `Number:Temperature`; groups are put together by the caller.
    pub fn named(name: &str) -> Self {
        match name.split_once(':') {
            Some(("Number", dimension)) => return Self::Number { dimension: Some(dimension.to_owned()) },
            Some(_) => return Self::Other(name.to_owned()),
            None => {}
        }
        match name {
            "Switch" => Self::Switch,
            "Dimmer" => Self::Dimmer,
            "Color" => Self::Colour,
            "Rollershutter" => Self::Rollershutter,
            "Contact" => Self::Contact,
            "Number" => Self::Number { dimension: None },
            "String" => Self::Text,
            "DateTime" => Self::DateTime,
            "Player" => Self::Player,
            "Location" => Self::Position,
            "Image" => Self::Image,
            "Call" => Self::Call,
            "Group" => Self::Group { of: None, function: None },
            other => Self::Other(other.to_owned()),
        }
    }

    /// The type whose states and commands it has: a group's own type, else itself.
    pub fn acts_as(&self) -> &ItemKind {
        match self {
            Self::Group { of: Some(of), .. } => of,
            other => other,
        }
    }

    /// Whether any command can do something: not for contacts, pictures, calls, groups without a type.
    pub fn takes_commands(&self) -> bool {
        !matches!(
            self.acts_as(),
            Self::Contact | Self::Image | Self::Call | Self::Group { .. } | Self::Other(_)
        )
    }

    /// As the server writes it, for tables: `Number:Temperature`, `Group:Switch`.
    pub fn written(&self) -> String {
        match self {
            Self::Switch => "Switch".to_owned(),
            Self::Dimmer => "Dimmer".to_owned(),
            Self::Colour => "Color".to_owned(),
            Self::Rollershutter => "Rollershutter".to_owned(),
            Self::Contact => "Contact".to_owned(),
            Self::Number { dimension: None } => "Number".to_owned(),
            Self::Number { dimension: Some(dimension) } => format!("Number:{dimension}"),
            Self::Text => "String".to_owned(),
            Self::DateTime => "DateTime".to_owned(),
            Self::Player => "Player".to_owned(),
            Self::Position => "Location".to_owned(),
            Self::Image => "Image".to_owned(),
            Self::Call => "Call".to_owned(),
            Self::Group { of: None, .. } => "Group".to_owned(),
            Self::Group { of: Some(of), .. } => format!("Group:{}", of.written()),
            Self::Other(name) => name.clone(),
        }
    }
}
