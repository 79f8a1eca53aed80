//! What a command opens in the project. Whatever else is at work there is seen as well: rather one input too many than one missed.

use crate::clock;
use crate::inputs::{After, Opened, Opens, ReadBack, Survey};
use crate::request::Request;
use actum_model::Change;
use rustix::fd::{AsFd, OwnedFd};
use rustix::fs::{Mode, OFlags};
use rustix::time::Timespec;

/// A project while a command runs in it.
pub(super) struct Watch {
    folder: OwnedFd,
    survey: Survey,
    opens: Opens,
    began: Timespec,
}

/// What was opened in it.
pub(super) struct Watched {
    folder: OwnedFd,
    survey: Survey,
    opened: Opened,
    began: Timespec,
}

impl Watch {
    pub(super) fn begin(request: &Request) -> Option<Self> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let folder = rustix::fs::open(&request.attempt.workspace, flags, Mode::empty()).ok()?;
        let survey = Survey::of(request);
        let opens = Opens::begin(folder.as_fd(), &survey)?;
        Some(Self { folder, survey, opens, began: clock::now() })
    }

    /// Before we look at the project ourselves.
    pub(super) fn end(self) -> Watched {
        let Self { folder, survey, opens, began } = self;
        Watched { folder, survey, opened: opens.end(), began }
    }
}

impl Watched {
    pub(super) fn read_back(self, changes: &[Change]) -> ReadBack {
        let Self { folder, survey, opened, began } = self;
        ReadBack::of(opened, &survey, After { folder: folder.as_fd(), layer: None, began, changes })
    }
}
