//! Compiles espeak-ng's English data, so that `joi` carries it and needs no espeak-ng on the machine.
//!
//! Runs at build time. In: the sources that the crate `espeak-rs-sys` brings, found through its library (which
//! knows where it was built). Out: `OUT_DIR/espeak-ng-data` and `OUT_DIR/espeak_data.rs`, a list of its files
//! to include. It fetches nothing.

use std::error::Error;
use std::ffi::{CStr, CString, c_char};
use std::fs;
use std::path::{Path, PathBuf};

use espeak_rs_sys as sys;

/// What English speech needs, relative to the data folder.
const FILES: [&str; 6] = ["phontab", "phonindex", "phondata", "intonations", "en_dict", "lang/gmw/en-US"];

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo:rerun-if-changed=build.rs");
    let out = PathBuf::from(std::env::var_os("OUT_DIR").ok_or("cargo sets OUT_DIR")?);
    let data = out.join("espeak-ng-data");
    let sources = sources()?;
    fs::create_dir_all(data.join("lang/gmw"))?;
    fs::copy(sources.join("espeak-ng-data/lang/gmw/en-US"), data.join("lang/gmw/en-US"))?;
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

/// Compiles intonations, phonemes and the dictionary, in the order in which they need each other.
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
        // The voice has no dictionary yet; its phonemes are what the compiler needs.
        sys::espeak_ng_SetVoiceByName(c"en-us".as_ptr());
        check(sys::espeak_ng_CompileDictionary(dictionary.as_ptr(), c"en".as_ptr(), nowhere, 0, &mut context))
    }
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
    for name in FILES {
        let file = data.join(name);
        if fs::metadata(&file)?.len() == 0 {
            return Err(format!("espeak-ng left {name} empty").into());
        }
        source.push_str(&format!("    ({name:?}, include_bytes!({:?})),\n", file));
    }
    source.push(']');
    Ok(source)
}
