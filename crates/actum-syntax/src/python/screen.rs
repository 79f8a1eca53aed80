//! Windows that a program opens.

use super::call::Call;
use actum_model::{Reading, Sign};

/// More places are not listed.
const MOST: usize = 20;

pub(super) fn of_call(call: &Call<'_>, reading: &mut Reading) {
    if opens_window(call, reading) && reading.display.len() < MOST {
        reading.display.push(Sign { what: call.shown(), line: call.line });
    }
}

fn opens_window(call: &Call<'_>, reading: &Reading) -> bool {
    const FUNCTIONS: [&str; 16] = [
        "matplotlib.pyplot.show",
        "pylab.show",
        "cv2.imshow",
        "cv2.namedWindow",
        "tkinter.Tk",
        "Tkinter.Tk",
        "customtkinter.CTk",
        "pygame.display.set_mode",
        "turtle.done",
        "turtle.mainloop",
        "turtle.Screen",
        "wx.App",
        "webbrowser.open",
        "pyglet.window.Window",
        "PIL.ImageGrab.grab",
        "skimage.io.show",
    ];
    let name = call.imported();
    let ends_in = |class: &str| name.rsplit('.').next() == Some(class);
    let is_qt = ["PyQt", "PySide"].iter().any(|library| name.starts_with(library)) && ends_in("QApplication");
    let shows = call.method() == "show" && shows_pictures(call, reading);
    FUNCTIONS.contains(&name)
        || is_qt
        || shows
        || name.starts_with("pyautogui.")
        || (name.starts_with("turtle.") && ends_in("Turtle"))
        || (name.starts_with("plotly.") && ends_in("show"))
}

/// `figure.show()`, `image.show()`: of something that a library of pictures made, as far as that is known.
fn shows_pictures(call: &Call<'_>, reading: &Reading) -> bool {
    let libraries =
        ["matplotlib", "plotly", "PIL", "bokeh", "altair", "open3d", "pyvista", "trimesh", "vedo"];
    let is_library =
        |module: &str| libraries.iter().any(|library| module.split('.').next() == Some(*library));
    match call.maker() {
        "" => reading.imports.iter().any(|import| is_library(&import.module)),
        maker => is_library(maker),
    }
}
