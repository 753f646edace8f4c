//! Compiles espeak-ng's data of some languages, so that `joi` carries it and needs no espeak-ng on the machine.
//!
//! Runs at build time. In: the sources that the crate `espeak-rs-sys` brings, found through its library (which
//! knows where it was built). Out: `OUT_DIR/espeak-ng-data` and `OUT_DIR/espeak_data.rs`, a list of its files
//! to include. It fetches nothing.

use std::error::Error;
use std::ffi::{CStr, CString, c_char};
use std::fs;
use std::path::{Path, PathBuf};

use espeak_rs_sys as sys;

/// What all languages need, relative to the data folder.
const COMMON: [&str; 4] = ["phontab", "phonindex", "phondata", "intonations"];
/// Of each language the dictionary, the voice by name, and the voice's file.
const LANGUAGES: [(&CStr, &CStr, &str); 7] = [
    (c"en", c"en-us", "lang/gmw/en-US"),
    (c"de", c"de", "lang/gmw/de"),
    (c"fr", c"fr", "lang/roa/fr"),
    (c"es", c"es", "lang/roa/es"),
    (c"it", c"it", "lang/roa/it"),
    (c"nl", c"nl", "lang/gmw/nl"),
    (c"pt", c"pt", "lang/roa/pt"),
];

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo:rerun-if-changed=build.rs");
    let out = PathBuf::from(std::env::var_os("OUT_DIR").ok_or("cargo sets OUT_DIR")?);
    let data = out.join("espeak-ng-data");
    let sources = sources()?;
    for (_, _, voice) in LANGUAGES {
        let to = data.join(voice);
        fs::create_dir_all(to.parent().unwrap_or(&data))?;
        fs::copy(sources.join("espeak-ng-data").join(voice), to)?;
    }
    compile(&sources, &out)?;
    fs::write(out.join("espeak_data.rs"), list(&data)?)?;
    Ok(())
}

/// espeak-ng's sources: the library was installed to `…/out/share`, and its build copied them beside that.
fn sources() -> Result<PathBuf, Box<dyn Error>> {
    // SAFETY: no other thread runs in this program. Without these variables the library tells its own place.
    unsafe {
        std::env::remove_var("ESPEAK_DATA_PATH");
        std::env::remove_var("HOME");
    }
    let mut path: *const c_char = std::ptr::null();
    // SAFETY: `path` receives a pointer to a string of the library, read before anything changes it.
    let installed = unsafe {
        sys::espeak_ng_InitializePath(std::ptr::null());
        sys::espeak_Info(&mut path);
        CStr::from_ptr(path).to_str()?
    };
    let out = Path::new(installed).ancestors().nth(2).ok_or("espeak-ng does not tell where it was built")?;
    Ok(out.join("espeak-ng"))
}

/// Compiles intonations, phonemes and the dictionaries, in the order in which they need each other.
fn compile(sources: &Path, out: &Path) -> Result<(), Box<dyn Error>> {
    let path = |path: &Path| CString::new(path.as_os_str().as_encoded_bytes());
    let (home, phonemes) = (path(out)?, path(&sources.join("phsource"))?);
    // The dictionary's compiler puts its file names right behind this one.
    let dictionary =
        CString::new([sources.join("dictsource").as_os_str().as_encoded_bytes(), b"/"].concat())?;
    let mut context: sys::espeak_ng_ERROR_CONTEXT = std::ptr::null_mut();
    let nowhere = std::ptr::null_mut();
    // SAFETY: all strings and `context` outlive the calls; no other thread runs.
    unsafe {
        sys::espeak_ng_InitializePath(home.as_ptr());
        let data = path(&out.join("espeak-ng-data"))?;
        check(sys::espeak_ng_CompileIntonationPath(phonemes.as_ptr(), data.as_ptr(), nowhere, &mut context))?;
        check(sys::espeak_ng_CompilePhonemeDataPath(
            22050,
            phonemes.as_ptr(),
            data.as_ptr(),
            nowhere,
            &mut context,
        ))?;
        check(sys::espeak_ng_Initialize(&mut context))?;
        for (language, voice, _) in LANGUAGES {
            // The voice has no dictionary yet; its phonemes are what the compiler needs.
            sys::espeak_ng_SetVoiceByName(voice.as_ptr());
            check(sys::espeak_ng_CompileDictionary(
                dictionary.as_ptr(),
                language.as_ptr(),
                nowhere,
                0,
                &mut context,
            ))?;
        }
    }
    Ok(())
}

fn check(status: sys::espeak_ng_STATUS) -> Result<(), Box<dyn Error>> {
    if status == sys::espeak_ng_STATUS_ENS_OK {
        return Ok(());
    }
    Err(format!("espeak-ng could not compile its data (status {status:#x})").into())
}

/// Rust source that includes the files.
fn list(data: &Path) -> Result<String, Box<dyn Error>> {
    let mut source = String::from("&[\n");
    let dictionary = |language: &CStr| format!("{}_dict", language.to_string_lossy());
    let own = LANGUAGES.iter().flat_map(|(language, _, voice)| [dictionary(language), (*voice).to_owned()]);
    for name in COMMON.map(str::to_owned).into_iter().chain(own) {
        let file = data.join(&name);
        if fs::metadata(&file)?.len() == 0 {
            return Err(format!("espeak-ng left {name} empty").into());
        }
        source.push_str(&format!("    ({name:?}, include_bytes!({:?})),\n", file));
    }
    source.push(']');
    Ok(source)
}
