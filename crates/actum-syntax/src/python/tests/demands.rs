//! Files, arguments, variables, and what else a program demands.

use super::read;
use actum_model::{EffortKind, FileMode, GpuNeed};

#[test]
fn files_are_found_with_their_mode() {
    use FileMode::{Append, Folder, Read, Unknown, Update, Write};
    let cases: &[(&str, &[(&str, FileMode)])] = &[
        ("open('a.txt')\n", &[("a.txt", Read)]),
        ("with open('a.txt', 'w') as f: pass\n", &[("a.txt", Write)]),
        (
            "open('a.bin', mode='ab')\nopen('b', 'r+b')\nopen('c', 'x')\n",
            &[("a.bin", Append), ("b", Update), ("c", Write)],
        ),
        ("open(name)\nopen('b', m)\n", &[("b", Unknown)]),
        ("P = 'data/a.csv'\nopen(P)\n", &[("data/a.csv", Read)]),
        ("P = 'a'\nP = 'b'\nopen(P)\n", &[]),
        ("def f(path='a.csv'):\n    return open(path)\n", &[("a.csv", Read)]),
        ("import os\nopen(os.path.join('a', 'b.txt'))\n", &[("a/b.txt", Read)]),
        ("D = 'a/'\nopen(D + 'b.txt')\n", &[("a/b.txt", Read)]),
        (
            "from pathlib import Path\nPath('a.txt').read_text()\n(Path('b') / 'c.txt').write_text('x')\n",
            &[("a.txt", Read), ("b/c.txt", Write)],
        ),
        (
            "from pathlib import Path\nout = Path('out')\nout.mkdir()\nwith (out / 'a').open('w') as f: pass\n",
            &[("out", Folder), ("out/a", Write)],
        ),
        (
            "import pandas as pd\ndf = pd.read_csv('in.csv')\ndf.to_csv('out.csv', index=False)\n",
            &[("in.csv", Read), ("out.csv", Write)],
        ),
        ("import pandas as pd\npd.read_csv('https://example.com/a.csv')\n", &[]),
        ("import numpy as np\nnp.load('a.npy')\nnp.save('b.npy', x)\n", &[("a.npy", Read), ("b.npy", Write)]),
        ("import cv2\ncv2.imread('a.png')\ncv2.imwrite('b.png', x)\n", &[("a.png", Read), ("b.png", Write)]),
        ("from PIL import Image\nImage.open('a.png')\n", &[("a.png", Read)]),
        ("import torch\ntorch.load('m.pt')\ntorch.save(m, 'n.pt')\n", &[("m.pt", Read), ("n.pt", Write)]),
        (
            "import matplotlib.pyplot as plt\nplt.savefig('p.png')\nfig.savefig('q.png')\n",
            &[("p.png", Write), ("q.png", Write)],
        ),
        ("import sqlite3\nsqlite3.connect('a.db')\nsqlite3.connect(':memory:')\n", &[("a.db", Update)]),
        (
            "import os\nos.makedirs('out/x', exist_ok=True)\nos.listdir('in')\n",
            &[("out/x", Folder), ("in", Read)],
        ),
        ("import json\njson.load(open('a.json'))\n", &[("a.json", Read)]),
        (
            "import argparse\np = argparse.ArgumentParser()\np.add_argument('--data', default='data/a.csv')\n",
            &[("data/a.csv", Unknown)],
        ),
        ("import zipfile\nzipfile.ZipFile('a.zip', 'w')\n", &[("a.zip", Write)]),
    ];
    for (text, expected) in cases {
        let files = read(text).files;
        let found: Vec<_> = files.iter().map(|one| (one.path.as_str(), one.mode)).collect();
        assert_eq!(found, *expected, "{text}");
    }
}

#[test]
fn arguments_are_found() {
    let text = "import argparse, sys\np = argparse.ArgumentParser()\np.add_argument('input', help='what to read')\np.add_argument('-b', '--batch-size', type=int, default=32)\np.add_argument('--name', required=True)\np.add_argument('rest', nargs='*')\np.add_argument('--rate', default=0.5)\nargs = p.parse_args()\n";
    let list = read(text).arguments;
    let found: Vec<_> = list
        .iter()
        .map(|one| (one.name.as_str(), one.required, one.default.as_deref(), one.scales))
        .collect();
    let expected = [
        ("input", true, None, false),
        ("--batch-size", false, Some("32"), true),
        ("--name", true, None, false),
        ("rest", false, None, false),
        ("--rate", false, Some("0.5"), false),
    ];
    assert_eq!(found, expected);
    assert_eq!(list[0].help.as_deref(), Some("what to read"));
    let cases = [
        ("import sys\nx = sys.argv[1]\n", vec![("1", true)]),
        ("import sys\nif len(sys.argv) > 1:\n    x = sys.argv[1]\n", vec![("1", false)]),
        ("import sys\nx = sys.argv[1:]\ny = sys.argv[0]\n", vec![]),
        (
            "import click\n@click.command()\n@click.option('--count', default=1)\n@click.argument('name')\ndef f(count, name): pass\n",
            vec![("--count", false), ("name", true)],
        ),
    ];
    for (text, expected) in cases {
        let list = read(text).arguments;
        let found: Vec<_> = list.iter().map(|one| (one.name.as_str(), one.required)).collect();
        assert_eq!(found, expected, "{text}");
    }
}

#[test]
fn variables_are_needed_or_not() {
    type Expected = (&'static str, bool, Option<&'static str>);
    let cases: &[(&str, &[Expected])] = &[
        ("import os\nk = os.environ['KEY']\n", &[("KEY", true, None)]),
        ("import os\nk = os.environ.get('KEY', 'x')\n", &[("KEY", false, Some("x"))]),
        ("from os import getenv\nk = getenv('KEY')\n", &[("KEY", false, None)]),
        ("import os\nos.environ['KEY'] = '1'\nk = os.environ['KEY']\n", &[]),
        ("import os\nif 'KEY' in os.environ:\n    k = os.environ['KEY']\n", &[("KEY", false, None)]),
        ("from os import environ as e\ne['A']\n", &[("A", true, None)]),
    ];
    for (text, expected) in cases {
        let list = read(text).variables;
        let found: Vec<_> =
            list.iter().map(|one| (one.name.as_str(), one.needed, one.default.as_deref())).collect();
        assert_eq!(found, *expected, "{text}");
    }
}

#[test]
fn standard_input_is_noticed() {
    let cases = [
        ("x = input('name? ')\n", Some(1)),
        ("import sys\nfor line in sys.stdin: pass\n", Some(2)),
        ("from sys import stdin\nstdin.read()\n", Some(2)),
        ("def input(): pass\ninput()\n", None),
        ("def f(input): return input\n", None),
    ];
    for (text, expected) in cases {
        assert_eq!(read(text).stdin.map(|sign| sign.line), expected, "{text}");
    }
}

#[test]
fn random_numbers_are_fixed_or_not() {
    let cases: &[(&str, &[&str], &[&str])] = &[
        ("import random\nrandom.seed(1)\nrandom.random()\n", &["random.seed"], &[]),
        ("import random\nrandom.random()\n", &[], &["random.random"]),
        (
            "import random, numpy as np\nrandom.seed(1)\nnp.random.rand(3)\n",
            &["random.seed"],
            &["numpy.random.rand"],
        ),
        ("import numpy as np\nr = np.random.default_rng(0)\n", &["numpy.random.default_rng"], &[]),
        ("import numpy as np\nr = np.random.default_rng()\n", &[], &["numpy.random.default_rng"]),
        ("import torch\ntorch.manual_seed(0)\ntorch.randn(3)\n", &["torch.manual_seed"], &[]),
        (
            "from sklearn.model_selection import train_test_split\ntrain_test_split(x)\n",
            &[],
            &["sklearn.model_selection.train_test_split"],
        ),
        (
            "from sklearn.model_selection import train_test_split\ntrain_test_split(x, random_state=1)\n",
            &["sklearn.model_selection.train_test_split"],
            &[],
        ),
        (
            "from transformers import set_seed\nimport torch\nset_seed(1)\ntorch.rand(1)\n",
            &["transformers.set_seed"],
            &[],
        ),
    ];
    for (text, seeds, unseeded) in cases {
        let reading = read(text);
        let words =
            |list: &[actum_model::Sign]| list.iter().map(|sign| sign.what.clone()).collect::<Vec<_>>();
        assert_eq!(words(&reading.seeds), *seeds, "{text}");
        assert_eq!(words(&reading.unseeded), *unseeded, "{text}");
    }
}

#[test]
fn cards_are_required_or_not() {
    let cases = [
        ("import torch\nx = torch.zeros(3).cuda()\n", Some(GpuNeed::Required)),
        ("import torch\nx = torch.zeros(3).to('cuda:0')\n", Some(GpuNeed::Required)),
        (
            "import torch\nd = torch.device('cuda' if torch.cuda.is_available() else 'cpu')\n",
            Some(GpuNeed::Guarded),
        ),
        ("import torch\nx = torch.zeros(3, device='cuda')\n", Some(GpuNeed::Required)),
        ("import cupy\n", Some(GpuNeed::Required)),
        ("from numba import cuda\n", Some(GpuNeed::Required)),
        ("import torch\nx = torch.zeros(3).to('cpu')\n", None),
        ("x = 'cuda'\n", None),
    ];
    for (text, expected) in cases {
        assert_eq!(read(text).gpu.map(|gpu| gpu.need), expected, "{text}");
    }
}

#[test]
fn the_network_is_noticed_with_hosts() {
    let cases: &[(&str, Option<&[&str]>)] = &[
        ("import requests\nrequests.get('https://api.example.com/x')\n", Some(&["api.example.com"])),
        (
            "import requests\nB = 'https://a.example.com'\nrequests.get(f'https://b.example.com/{x}')\n",
            Some(&["a.example.com", "b.example.com"]),
        ),
        ("from urllib.request import urlopen\n", Some(&[])),
        ("from urllib import request\n", Some(&[])),
        ("from urllib.parse import urlparse\nurlparse('https://example.com')\n", None),
        ("x = 'https://example.com'\n", None),
        ("import pandas as pd\npd.read_csv('https://example.com/a.csv')\n", Some(&["example.com"])),
        ("from sklearn.datasets import fetch_openml\nfetch_openml('mnist')\n", Some(&[])),
        ("from sklearn.datasets import load_iris\nload_iris()\n", None),
        ("from transformers import AutoModel\nAutoModel.from_pretrained('x')\n", Some(&[])),
    ];
    for (text, expected) in cases {
        let hosts = read(text).network.map(|network| network.hosts);
        assert_eq!(
            hosts.as_deref(),
            expected.map(|hosts| hosts.iter().map(|host| (*host).to_owned()).collect::<Vec<_>>()).as_deref(),
            "{text}"
        );
    }
}

#[test]
fn windows_and_services_are_noticed() {
    let shows = [
        ("import matplotlib.pyplot as plt\nplt.show()\n", 1),
        ("import cv2\ncv2.imshow('a', x)\n", 1),
        ("import tkinter as tk\nr = tk.Tk()\n", 1),
        ("from PyQt5.QtWidgets import QApplication\na = QApplication([])\n", 1),
        ("df.show()\n", 0),
        ("import pygame\npygame.display.set_mode((1, 1))\n", 1),
    ];
    for (text, expected) in shows {
        assert_eq!(read(text).display.len(), expected, "{text}");
    }
    let serves = [
        ("from flask import Flask\napp = Flask(__name__)\napp.run(port=8080)\n", Some(Some(8080))),
        ("import uvicorn\nuvicorn.run(app, host='0.0.0.0', port=80)\n", Some(Some(80))),
        ("server.serve_forever()\n", Some(None)),
        ("import time\nwhile True:\n    f()\n    time.sleep(1)\n", Some(None)),
        ("import time\nwhile True:\n    if f():\n        break\n    time.sleep(1)\n", None),
        ("import subprocess\nsubprocess.run('ls')\n", None),
        ("def f():\n    while True:\n        yield 1\n", None),
    ];
    for (text, expected) in serves {
        assert_eq!(read(text).service.map(|service| service.port), expected, "{text}");
    }
}

#[test]
fn effort_is_hinted_at() {
    use EffortKind::{Endless, Loop, Memory, Pause, Training};
    let cases: &[(&str, &[(EffortKind, u64)])] = &[
        ("for i in range(10**8): pass\n", &[(Loop, 100_000_000)]),
        ("for i in range(10000):\n    for j in range(10000): pass\n", &[(Loop, 100_000_000)]),
        ("for i in range(100): pass\n", &[]),
        ("N = 10_000_000_000\nfor i in range(0, N, 2): pass\n", &[(Loop, 5_000_000_000)]),
        ("while True:\n    f()\n", &[(Endless, 0)]),
        ("import numpy as np\nx = np.zeros((100_000, 100_000))\n", &[(Memory, 10_000_000_000)]),
        ("import numpy as np\nx = np.random.rand(20000, 20000)\n", &[(Memory, 400_000_000)]),
        ("x = [0] * 10**9\n", &[(Memory, 1_000_000_000)]),
        ("model.fit(x, y, epochs=100)\n", &[(Training, 100)]),
        ("model.fit(x, y, epochs=2)\n", &[]),
        ("import time\ntime.sleep(60)\n", &[(Pause, 60)]),
        ("import time\nfor i in range(100):\n    time.sleep(1)\n", &[(Pause, 100)]),
    ];
    for (text, expected) in cases {
        let effort = read(text).effort;
        let found: Vec<_> = effort.iter().map(|one| (one.kind, one.amount)).collect();
        assert_eq!(found, *expected, "{text}");
    }
}

#[test]
fn programs_that_it_starts_are_listed() {
    let text = "import subprocess, os\nsubprocess.run(['ffmpeg', '-i', x])\nos.system('sudo dot -Tpng a.dot | cat')\nsubprocess.run(cmd)\n";
    let reading = read(text);
    let found: Vec<_> =
        reading.commands.iter().map(|one| (one.name.as_str(), one.privileged, one.line)).collect();
    assert_eq!(found, [("ffmpeg", false, 2), ("dot", true, 3), ("cat", false, 3)]);
}
