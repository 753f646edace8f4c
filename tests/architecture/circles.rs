//! No circle of more than three files: an arrow goes from the file that uses an item to the file that declares it.
//!
//! Reads the sources with syn, resolves every path as the compiler does (through `use`, `pub use` and globs), and looks for
//! groups of files that reach each other. `mod` and `pub use` are not arrows, and code for tests alone is left out.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs;
use std::path::{Path, PathBuf};

use proc_macro2::{TokenStream, TokenTree};
use syn::visit::Visit;

use super::super::{crates, root, short};
use super::items::{attributes, declared, is_for_tests};

/// Most files that may import each other in a circle.
const MOST: usize = 3;

type Segments = Vec<String>;
/// For each file the files whose items it uses, with the names of these.
type Arrows = BTreeMap<PathBuf, BTreeMap<PathBuf, BTreeSet<String>>>;

/// What one module declares and which paths its code names.
#[derive(Default)]
struct Module {
    file: PathBuf,
    items: BTreeSet<String>,
    uses: HashMap<String, Segments>,
    globs: Vec<Segments>,
    paths: BTreeSet<Segments>,
    imports: BTreeSet<Segments>,
}

/// All modules of the workspace by their full path, the crate's name first.
#[derive(Default)]
struct Sources {
    modules: BTreeMap<Segments, Module>,
}

impl Sources {
    /// Reads a crate from its root file. Code for tests alone is left out.
    fn read(&mut self, name: &str, root: &Path) {
        let folder = root.parent().unwrap_or(root).to_path_buf();
        self.read_file(vec![name.to_owned()], root, &folder);
    }

    fn read_file(&mut self, module: Segments, file: &Path, folder: &Path) {
        let text = fs::read_to_string(file).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
        let parsed = syn::parse_file(&text).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
        self.read_items(module, file, folder, &parsed.items);
    }

    fn read_items(&mut self, module: Segments, file: &Path, folder: &Path, items: &[syn::Item]) {
        let mut reader = Reader { found: Module { file: file.to_path_buf(), ..Module::default() } };
        for item in items {
            if is_for_tests(attributes(item)) {
                continue;
            }
            if let syn::Item::Mod(child) = item {
                let name = child.ident.to_string();
                let mut path = module.clone();
                path.push(name.clone());
                let inside = folder.join(&name);
                match &child.content {
                    Some((_, items)) => self.read_items(path, file, &inside, items),
                    None => self.read_file(path, &folder.join(format!("{name}.rs")), &inside),
                }
                continue;
            }
            if let Some(name) = declared(item) {
                reader.found.items.insert(name);
            }
            reader.visit_item(item);
        }
        self.modules.insert(module, reader.found);
    }

    /// The module that declares what `path` names, seen from `module`.
    fn declaring(&self, module: &[String], path: &[String], depth: usize) -> Option<(&Segments, String)> {
        if depth > 16 {
            return None;
        }
        let (first, rest) = path.split_first()?;
        match first.as_str() {
            "crate" => self.within(&module[..1], rest, depth),
            "self" => self.within(module, rest, depth),
            "super" => self.within(&module[..module.len().checked_sub(1)?], rest, depth),
            name => self.within(module, path, depth).or_else(|| {
                let root = vec![name.to_owned()];
                self.modules.contains_key(&root).then(|| self.within(&root, rest, depth)).flatten()
            }),
        }
    }

    fn within(&self, module: &[String], path: &[String], depth: usize) -> Option<(&Segments, String)> {
        let (key, found) = self.modules.get_key_value(module)?;
        let (first, rest) = path.split_first()?;
        if first == "super" {
            return self.within(&module[..module.len().checked_sub(1)?], rest, depth);
        }
        let mut child = module.to_vec();
        child.push(first.clone());
        // A function may have the name of a module; a path that goes on means the module.
        if !rest.is_empty() && self.modules.contains_key(&child) {
            return self.within(&child, rest, depth);
        }
        if found.items.contains(first) {
            return Some((key, first.clone()));
        }
        if let Some(target) = found.uses.get(first) {
            let whole: Segments = target.iter().chain(rest).cloned().collect();
            if whole != path {
                return self.declaring(module, &whole, depth + 1);
            }
        }
        found.globs.iter().find_map(|glob| {
            let whole: Segments = glob.iter().chain(path).cloned().collect();
            self.declaring(module, &whole, depth + 1)
        })
    }

    /// For each file the files whose items it uses, with the names of these.
    fn arrows(&self) -> Arrows {
        let mut arrows = Arrows::new();
        for (module, found) in &self.modules {
            let from = arrows.entry(found.file.clone()).or_default();
            for path in found.paths.iter().chain(&found.imports) {
                if let Some((at, item)) = self.declaring(module, path, 0) {
                    let to = &self.modules[at].file;
                    if *to != found.file {
                        from.entry(to.clone()).or_default().insert(item);
                    }
                }
            }
        }
        arrows
    }
}

/// Groups of files that reach each other, of more than `most` files.
fn circles(arrows: &Arrows) -> Vec<Vec<PathBuf>> {
    let names: Vec<_> = arrows.keys().collect();
    let index: HashMap<_, _> = names.iter().enumerate().map(|(i, n)| (*n, i)).collect();
    let out: Vec<Vec<usize>> =
        arrows.values().map(|to| to.keys().filter_map(|t| index.get(t).copied()).collect()).collect();
    let mut tarjan = Tarjan {
        out: &out,
        low: vec![usize::MAX; names.len()],
        at: vec![usize::MAX; names.len()],
        on: vec![false; names.len()],
        stack: vec![],
        next: 0,
        groups: vec![],
    };
    for v in 0..names.len() {
        if tarjan.at[v] == usize::MAX {
            tarjan.visit(v);
        }
    }
    let mut groups: Vec<Vec<PathBuf>> = tarjan
        .groups
        .into_iter()
        .filter(|g| g.len() > MOST)
        .map(|g| g.into_iter().map(|v| names[v].clone()).collect())
        .collect();
    groups.iter_mut().for_each(|g| g.sort());
    groups
}

struct Tarjan<'a> {
    out: &'a [Vec<usize>],
    low: Vec<usize>,
    at: Vec<usize>,
    on: Vec<bool>,
    stack: Vec<usize>,
    next: usize,
    groups: Vec<Vec<usize>>,
}

impl Tarjan<'_> {
    fn visit(&mut self, v: usize) {
        self.at[v] = self.next;
        self.low[v] = self.next;
        self.next += 1;
        self.stack.push(v);
        self.on[v] = true;
        for &w in &self.out[v] {
            if self.at[w] == usize::MAX {
                self.visit(w);
                self.low[v] = self.low[v].min(self.low[w]);
            } else if self.on[w] {
                self.low[v] = self.low[v].min(self.at[w]);
            }
        }
        if self.low[v] == self.at[v] {
            let mut group = vec![];
            while let Some(w) = self.stack.pop() {
                self.on[w] = false;
                group.push(w);
                if w == v {
                    break;
                }
            }
            self.groups.push(group);
        }
    }
}

struct Reader {
    found: Module,
}

impl Reader {
    fn take_use(&mut self, tree: &syn::UseTree, before: &[String], is_pub: bool) {
        let mut whole = before.to_vec();
        match tree {
            syn::UseTree::Path(path) => {
                whole.push(path.ident.to_string());
                self.take_use(&path.tree, &whole, is_pub);
            }
            syn::UseTree::Name(name) => {
                let name = name.ident.to_string();
                if name == "self" {
                    let alias = whole.last().cloned().unwrap_or_default();
                    self.found.uses.insert(alias, whole);
                } else {
                    whole.push(name.clone());
                    self.bind(name, whole, is_pub);
                }
            }
            syn::UseTree::Rename(rename) => {
                if rename.ident != "self" {
                    whole.push(rename.ident.to_string());
                }
                self.bind(rename.rename.to_string(), whole, is_pub);
            }
            syn::UseTree::Glob(_) => self.found.globs.push(whole),
            syn::UseTree::Group(group) => {
                group.items.iter().for_each(|tree| self.take_use(tree, before, is_pub))
            }
        }
    }

    fn bind(&mut self, alias: String, whole: Segments, is_pub: bool) {
        if !is_pub {
            self.found.imports.insert(whole.clone());
        }
        self.found.uses.insert(alias, whole);
    }

    fn take_tokens(&mut self, tokens: TokenStream) {
        let mut path: Segments = vec![];
        let mut colons = 0;
        for token in tokens {
            match token {
                TokenTree::Ident(ident) => {
                    if colons != 2 && !path.is_empty() {
                        self.found.paths.insert(std::mem::take(&mut path));
                    }
                    path.push(ident.to_string());
                    colons = 0;
                }
                TokenTree::Punct(punct) if punct.as_char() == ':' => colons += 1,
                other => {
                    if !path.is_empty() {
                        self.found.paths.insert(std::mem::take(&mut path));
                    }
                    colons = 0;
                    if let TokenTree::Group(group) = other {
                        self.take_tokens(group.stream());
                    }
                }
            }
        }
        if !path.is_empty() {
            self.found.paths.insert(path);
        }
    }
}

impl<'ast> Visit<'ast> for Reader {
    fn visit_item(&mut self, item: &'ast syn::Item) {
        if !is_for_tests(attributes(item)) {
            syn::visit::visit_item(self, item);
        }
    }

    fn visit_impl_item(&mut self, item: &'ast syn::ImplItem) {
        let attrs: &[syn::Attribute] = match item {
            syn::ImplItem::Fn(i) => &i.attrs,
            syn::ImplItem::Const(i) => &i.attrs,
            syn::ImplItem::Type(i) => &i.attrs,
            _ => &[],
        };
        if !is_for_tests(attrs) {
            syn::visit::visit_impl_item(self, item);
        }
    }

    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        self.take_use(&item.tree, &[], !matches!(item.vis, syn::Visibility::Inherited));
    }

    fn visit_visibility(&mut self, _: &'ast syn::Visibility) {}

    fn visit_path(&mut self, path: &'ast syn::Path) {
        self.found.paths.insert(path.segments.iter().map(|s| s.ident.to_string()).collect());
        syn::visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, mac: &'ast syn::Macro) {
        self.take_tokens(mac.tokens.clone());
        syn::visit::visit_macro(self, mac);
    }
}

#[test]
fn no_more_than_three_files_import_each_other_in_a_circle() {
    let mut sources = Sources::default();
    sources.read("joi", &root().join("src/lib.rs"));
    for folder in crates() {
        let lib = folder.join("src/lib.rs");
        if lib.exists() {
            let name = folder.file_name().expect("a name").to_string_lossy().replace('-', "_");
            sources.read(&name, &lib);
        }
    }
    let arrows = sources.arrows();
    let count: usize = arrows.values().map(BTreeMap::len).sum();
    assert!(count > 2_000, "only {count} arrows were found");
    let found: Vec<String> = circles(&arrows)
        .iter()
        .map(|files| files.iter().map(|file| short(file)).collect::<Vec<_>>().join("\n  "))
        .collect();
    assert!(found.is_empty(), "circles of more than {MOST} files:\n{}", found.join("\n\n"));
}

#[test]
fn a_circle_is_seen_through_what_is_exported_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = |name: &str, text: &str| fs::write(folder.path().join(name), text).expect("a file");
    file("lib.rs", "mod a;\nmod b;\nmod c;\nmod d;\npub use a::A;\npub struct Root;");
    file("a.rs", "use crate::b::B;\npub struct A(B);");
    file("b.rs", "pub struct B;\nfn f() { let _ = super::c::C { d: None }; }");
    file("c.rs", "pub struct C { pub d: Option<crate::d::D> }");
    file("d.rs", "use super::*;\npub struct D(Box<A>);\n#[cfg(test)]\nmod tests { use crate::Root; }");
    let mut sources = Sources::default();
    sources.read("x", &folder.path().join("lib.rs"));
    let found = circles(&sources.arrows());
    let names =
        |files: &[PathBuf]| files.iter().map(|f| f.file_name().map(|n| n.to_owned())).collect::<Vec<_>>();
    let expected = ["a.rs", "b.rs", "c.rs", "d.rs"].map(|name| Some(name.into()));
    assert_eq!(found.iter().map(|files| names(files)).collect::<Vec<_>>(), [expected.to_vec()]);
}
