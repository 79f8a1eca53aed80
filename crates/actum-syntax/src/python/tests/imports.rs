//! Imports, installs and names.

use super::read;
use actum_model::ImportKind;

/// `numpy plain 1`, one for each import.
fn imports(text: &str) -> Vec<String> {
    let list = read(text).imports;
    let kind = |kind: ImportKind| serde_json_word(kind);
    list.iter().map(|one| format!("{} {} {}", one.module, kind(one.kind), one.line)).collect()
}

fn serde_json_word(kind: ImportKind) -> &'static str {
    match kind {
        ImportKind::Plain => "plain",
        ImportKind::Lazy => "lazy",
        ImportKind::Optional => "optional",
        ImportKind::TypeOnly => "type-only",
        ImportKind::Dynamic => "dynamic",
        ImportKind::Relative => "relative",
    }
}

#[test]
fn imports_are_told_by_kind() {
    let cases: &[(&str, &[&str])] = &[
        ("import a\nimport b.c as d, e\n", &["a plain 1", "b.c plain 2", "e plain 2"]),
        ("from a.b import c, d as e\n", &["a.b plain 1"]),
        ("from . import a\nfrom ..b import c\n", &[". relative 1", "..b relative 2"]),
        ("def f():\n    import a\n", &["a lazy 2"]),
        ("class A:\n    import a\n", &["a plain 2"]),
        ("try:\n    import a\nexcept ImportError:\n    import b\n", &["a optional 2", "b optional 4"]),
        ("try:\n    import a\nexcept (ValueError, ModuleNotFoundError):\n    a = None\n", &["a optional 2"]),
        ("try:\n    import a\nexcept:\n    pass\nelse:\n    import c\n", &["a optional 2", "c plain 6"]),
        ("try:\n    import a\nexcept ImportError:\n    print('no')\n    sys.exit(1)\n", &["a plain 2"]),
        ("try:\n    import a\nexcept ImportError:\n    raise\n", &["a plain 2"]),
        ("try:\n    import a\nexcept ValueError:\n    pass\n", &["a plain 2"]),
        (
            "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import a\n",
            &["typing plain 1", "a type-only 3"],
        ),
        (
            "import typing as t\nif t.TYPE_CHECKING:\n    import a\nelse:\n    import b\n",
            &["typing plain 1", "a type-only 3", "b plain 5"],
        ),
        ("import importlib\nx = importlib.import_module('a.b')\n", &["importlib plain 1", "a.b dynamic 2"]),
        (
            "from importlib import import_module as m\nm('a')\nm(name)\n",
            &["importlib plain 1", "a dynamic 2"],
        ),
        (
            "import sys\nif sys.version_info[0] < 3:\n    import a\nelse:\n    import b\nimport c\n",
            &["sys plain 1", "a optional 3", "b optional 5", "c plain 6"],
        ),
        ("x = __import__('a')\n", &["a dynamic 1"]),
        (
            "import importlib.util\nif importlib.util.find_spec('a'): pass\n",
            &["importlib.util plain 1", "a optional 2"],
        ),
        ("if x:\n    import a\nwith y:\n    import b\n", &["a plain 2", "b plain 4"]),
        // Broken and old programs have imports all the same.
        ("import a\nx = foo(1,\n", &["a plain 1"]),
        ("import a\nprint 'x'\nimport b\n", &["a plain 1", "b plain 3"]),
    ];
    for (text, expected) in cases {
        assert_eq!(imports(text), *expected, "{text}");
    }
    assert_eq!(read("from a import b, c as d, e\n").imports[0].names, ["b", "c", "e"]);
    assert_eq!(read("from a import *\n").imports[0].names, ["*"]);
}

#[test]
fn packages_that_the_text_names_are_noted() {
    let cases: &[(&str, &[&str])] = &[
        ("# pip install numpy pandas\nimport numpy\n", &["pip numpy comment 1", "pip pandas comment 1"]),
        ("x = 1\n# First: `pip install rich`\n", &["pip rich comment 2"]),
        ("# you may want to install numpy first\n", &[]),
        ("!pip install seaborn\n", &["pip seaborn magic 1"]),
        ("%conda install -y rdkit\n", &["conda rdkit magic 1"]),
        ("!apt-get install -y ffmpeg\n", &["apt ffmpeg magic 1"]),
        (
            "import subprocess, sys\nsubprocess.check_call([sys.executable, '-m', 'pip', 'install', 'rich'])\n",
            &["pip rich command 2"],
        ),
        ("import os\nos.system('pip install rich')\n", &["pip rich command 2"]),
    ];
    for (text, expected) in cases {
        let installs = read(text).installs;
        let found: Vec<_> = installs
            .iter()
            .map(|one| format!("{} {} {} {}", one.tool, one.package, one.via, one.line))
            .collect();
        assert_eq!(found, *expected, "{text}");
    }
}

#[test]
fn names_are_resolved_through_aliases() {
    let cases: &[(&str, &[&str])] = &[
        ("import numpy as np\nx = np.float\n", &["numpy.float"]),
        ("import numpy as np\nx = np.random.rand(3)\n", &["numpy.random.rand", "numpy.random"]),
        ("from scipy.misc import imread\n", &["scipy.misc.imread"]),
        (
            "from sklearn import preprocessing as p\np.OneHotEncoder(sparse=False)\n",
            &["sklearn.preprocessing.OneHotEncoder", "sklearn.preprocessing.OneHotEncoder(sparse=)"],
        ),
        (
            "import pandas as pd\npd.date_range('2020', freq='M')\n",
            &["pandas.date_range(freq=\"M\")", "pandas.date_range(\"2020\")"],
        ),
        ("df.applymap(f)\n", &["?.applymap()", "?.applymap"]),
        ("ax.boxplot(x, labels=y)\n", &["?.boxplot(labels=)"]),
        ("df.resample('M').sum()\n", &["?.resample(\"M\")", "?.sum()"]),
        ("df.ix[0]\n", &["?.ix"]),
        ("from bs4 import BeautifulSoup\nBeautifulSoup(text, 'lxml')\n", &["bs4.BeautifulSoup(\"lxml\")"]),
        ("import nltk\nnltk.download('stopwords')\n", &["nltk.download(\"stopwords\")"]),
        (
            "from nltk.corpus import stopwords\nstopwords.words('english')\n",
            &["nltk.corpus.stopwords.words(\"english\")", "nltk.corpus.stopwords"],
        ),
        ("import spacy\nnlp = spacy.load('en_core_web_sm')\n", &["spacy.load(\"en_core_web_sm\")"]),
        (
            "import spacy\nMODEL = 'en_core_web_sm'\nnlp = spacy.load(MODEL)\n",
            &["spacy.load(\"en_core_web_sm\")"],
        ),
        (
            "import pandas as pd\ndf = pd.DataFrame(x)\ndf.append(y)\n",
            &["?.append()", "pandas.DataFrame().append()"],
        ),
        ("import pandas as pd\npd.read_csv(f).append(y)\n", &["pandas.read_csv().append()"]),
        ("import collections\nisinstance(x, collections.Mapping)\n", &["collections.Mapping"]),
        (
            "import matplotlib.pyplot as plt\nplt.style.use('seaborn')\n",
            &["matplotlib.pyplot.style.use(\"seaborn\")"],
        ),
    ];
    for (text, expected) in cases {
        let names: Vec<String> = read(text).names.into_iter().map(|one| one.name).collect();
        for name in *expected {
            assert!(names.iter().any(|one| one == name), "{text}{name} is not among {names:?}");
        }
    }
}

#[test]
fn names_of_others_are_not_taken_for_imported_ones() {
    let names = |text: &str| -> Vec<String> { read(text).names.into_iter().map(|one| one.name).collect() };
    assert!(!names("import time\ndef f(time):\n    time.clock()\n").iter().any(|one| one == "time.clock"));
    let either = "try:\n    from sklearn.externals import joblib\nexcept ImportError:\n    import joblib\njoblib.dump(x, 'y')\n";
    assert!(names(either).iter().all(|one| !one.contains("externals")), "{:?}", names(either));
    let guarded = "import time\ntry:\n    t = time.clock()\nexcept AttributeError:\n    t = time.time()\n";
    assert!(!names(guarded).iter().any(|one| one == "time.clock"));
    assert!(names("from .a import b\nb.c()\n").iter().all(|one| !one.contains(".a.b")));
    assert!(names("class A:\n    def f(self):\n        self.g()\n").is_empty());
    assert!(
        names("import a\na.b('a text that is much longer than any keyword would ever be')\n")
            .iter()
            .all(|one| !one.contains('"'))
    );
}

#[test]
fn names_are_bounded() {
    use std::fmt::Write;
    let mut text = String::from("import a\n");
    for number in 0..3_000 {
        writeln!(text, "a.b{number}").unwrap();
    }
    let reading = read(&text);
    assert_eq!((reading.names.len(), reading.names_left_out), (2_000, 1_000));
    // Names that are known to be somebody's come before methods of who knows what.
    let text: String = (0..3_000).map(|number| format!("x.b{number}\n")).collect();
    let reading = read(&format!("{text}import a\na.c\n"));
    assert_eq!((reading.names.len(), reading.names[0].name.as_str()), (2_000, "a.c"));
}
