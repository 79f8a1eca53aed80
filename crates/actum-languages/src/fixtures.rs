//! Small programs of every language, for tests: recognised by their looks, accepted by the checks.

/// Programs of a language, and one whose syntax is wrong.
pub(crate) struct Fixture {
    pub(crate) language: &'static str,
    pub(crate) good: &'static [&'static str],
    pub(crate) bad: &'static str,
}

pub(crate) const FIXTURES: [Fixture; 17] = [
    Fixture {
        language: "python",
        good: &[
            "import sys\n\ndef greet(name):\n    print(f\"hello {name}\")\n\nif __name__ == \"__main__\":\n    greet(sys.argv[1])\n",
            "from collections import Counter\n\nwords = \"a b a\".split()\nfor word, count in Counter(words).items():\n    print(word, count)\n",
            "class Stack:\n    def __init__(self):\n        self.items = []\n\n    def push(self, item):\n        self.items.append(item)\n",
            "squares = [n * n for n in range(10) if n % 2 == 0]\nprint(sum(squares))\n",
        ],
        bad: "def broken(:\n    pass\n",
    },
    Fixture {
        language: "bash",
        good: &[
            "set -euo pipefail\nfor file in *.txt; do\n  echo \"$file\"\ndone\n",
            "if [[ -f /etc/hosts ]]; then\n  grep localhost /etc/hosts | wc -l\nfi\n",
            "count=$(ls | wc -l)\necho \"there are ${count} files\" > out.txt\n",
            "mkdir -p build\ncd build\ncurl -sSL https://example.com/a.tar.gz | tar -xz\n",
        ],
        bad: "if true; then\n  echo unclosed\n",
    },
    Fixture {
        language: "sh",
        good: &[
            "#!/bin/sh\necho hello\n",
            "#!/usr/bin/env sh\nset -e\nexit 0\n",
            "#!/bin/dash\n[ -n \"$1\" ] && echo \"$1\"\n",
        ],
        bad: "case x in\n",
    },
    Fixture {
        language: "javascript",
        good: &[
            "const fs = require('fs');\nconst names = fs.readdirSync('.');\nnames.forEach((name) => console.log(name));\n",
            "function add(a, b) {\n  return a + b;\n}\nconsole.log(add(1, 2));\n",
            "let total = 0;\nfor (const n of [1, 2, 3]) {\n  if (n !== 2) total += n;\n}\nconsole.log(`total ${total}`);\n",
        ],
        bad: "function (\n",
    },
    Fixture {
        language: "typescript",
        good: &[
            "interface User {\n  name: string;\n  age: number;\n}\nconst user: User = { name: 'a', age: 1 };\nconsole.log(user.name);\n",
            "function add(a: number, b: number): number {\n  return a + b;\n}\nconsole.log(add(1, 2));\n",
            "type Shape = 'circle' | 'square';\nconst shapes: Shape[] = ['circle'];\nexport const first = (list: Shape[]): Shape => list[0];\n",
        ],
        bad: "const x: number = ;\n",
    },
    Fixture {
        language: "ruby",
        good: &[
            "require 'json'\n\ndata = { name: 'a' }\nputs data.to_json\n",
            "class Dog\n  attr_reader :name\n\n  def initialize(name)\n    @name = name\n  end\nend\n\nputs Dog.new('rex').name\n",
            "[1, 2, 3].each do |n|\n  puts n * 2\nend\n",
        ],
        bad: "def broken(\n",
    },
    Fixture {
        language: "perl",
        good: &[
            "use strict;\nuse warnings;\n\nmy @list = (1, 2, 3);\nforeach my $n (@list) {\n    print \"$n\\n\";\n}\n",
            "my %count;\n$count{$_}++ for qw(a b a);\nprint \"$_ $count{$_}\\n\" for sort keys %count;\n",
            "sub double {\n    my ($n) = @_;\n    return $n * 2;\n}\nprint double(2), \"\\n\";\n",
        ],
        bad: "my $x = ;\n",
    },
    Fixture {
        language: "php",
        good: &[
            "<?php\necho \"hello\\n\";\n",
            "<?php\nfunction add($a, $b) {\n    return $a + $b;\n}\necho add(1, 2);\n",
            "<?php\nforeach (['a' => 1] as $key => $value) {\n    echo \"$key $value\\n\";\n}\n",
        ],
        bad: "<?php\nfunction {\n",
    },
    Fixture {
        language: "lua",
        good: &[
            "local function greet(name)\n  print(\"hello \" .. name)\nend\n\ngreet(\"world\")\n",
            "local list = {1, 2, 3}\nfor index, value in ipairs(list) do\n  print(index, value)\nend\n",
            "local n = 10\nwhile n ~= 0 do\n  if n % 2 == 0 then\n    print(n)\n  end\n  n = n - 1\nend\n",
        ],
        bad: "local = 1\n",
    },
    Fixture {
        language: "r",
        good: &[
            "square <- function(x) {\n  x^2\n}\nprint(square(4))\n",
            "scores <- c(1, 2, 3)\nmean_score <- mean(scores)\ncat(\"mean\", mean_score, \"\\n\")\n",
            "data <- data.frame(x = c(1, 2), y = c(3, 4))\nsummary(data)\nprint(nrow(data))\n",
        ],
        bad: "x <- function( {\n",
    },
    Fixture {
        language: "julia",
        good: &[
            "function area(r::Float64)\n    return pi * r^2\nend\n\nprintln(area(2.0))\n",
            "using Statistics\n\nvalues = [1, 2, 3]\nprintln(mean(values))\n",
            "struct Point\n    x::Int\n    y::Int\nend\n\nfor i in 1:3\n    println(Point(i, i))\nend\n",
        ],
        bad: "function broken(\n",
    },
    Fixture {
        language: "go",
        good: &[
            "package main\n\nimport \"fmt\"\n\nfunc main() {\n\tfmt.Println(\"hello\")\n}\n",
            "package main\n\nimport (\n\t\"fmt\"\n\t\"os\"\n)\n\ntype pair struct {\n\ta, b int\n}\n\nfunc main() {\n\tp := pair{1, 2}\n\tfmt.Fprintln(os.Stdout, p.a+p.b)\n}\n",
            "package main\n\nfunc main() {\n\tdone := make(chan bool)\n\tgo func() { done <- true }()\n\t<-done\n}\n",
        ],
        bad: "package main\n\nfunc main( {\n",
    },
    Fixture {
        language: "rust",
        good: &[
            "fn main() {\n    println!(\"hello\");\n}\n",
            "use std::collections::HashMap;\n\nfn main() {\n    let mut count: HashMap<&str, u32> = HashMap::new();\n    *count.entry(\"a\").or_insert(0) += 1;\n    println!(\"{count:?}\");\n}\n",
            "struct Point {\n    x: i32,\n}\n\nimpl Point {\n    fn double(&self) -> i32 {\n        self.x * 2\n    }\n}\n\nfn main() {\n    let point = Point { x: 2 };\n    println!(\"{}\", point.double());\n}\n",
        ],
        bad: "fn main( {\n",
    },
    Fixture {
        language: "c",
        good: &[
            "#include <stdio.h>\n\nint main(void) {\n    printf(\"hello\\n\");\n    return 0;\n}\n",
            "#include <stdlib.h>\n#include <string.h>\n\nstruct node {\n    int value;\n    struct node *next;\n};\n\nint main(int argc, char **argv) {\n    struct node *n = malloc(sizeof(struct node));\n    memset(n, 0, sizeof *n);\n    free(n);\n    return 0;\n}\n",
            "#include <math.h>\n#include <stdio.h>\n#define SIZE 3\n\nstatic double half(double x) {\n    return x / 2;\n}\n\nint main(void) {\n    printf(\"%f\\n\", half(sqrt(SIZE)));\n}\n",
        ],
        bad: "int main( {\n",
    },
    Fixture {
        language: "cpp",
        good: &[
            "#include <iostream>\n\nint main() {\n    std::cout << \"hello\" << std::endl;\n}\n",
            "#include <vector>\n#include <algorithm>\nusing namespace std;\n\nint main() {\n    vector<int> v = {3, 1, 2};\n    sort(v.begin(), v.end());\n    return v[0];\n}\n",
            "#include <memory>\n\ntemplate <typename T>\nT twice(T x) { return x + x; }\n\nclass Box {\npublic:\n    int value = 1;\n};\n\nint main() {\n    auto box = std::make_unique<Box>();\n    return twice(box->value) - 2;\n}\n",
        ],
        bad: "int main( {\n",
    },
    Fixture {
        language: "java",
        good: &[
            "public class Hello {\n    public static void main(String[] args) {\n        System.out.println(\"hello\");\n    }\n}\n",
            "import java.util.ArrayList;\nimport java.util.List;\n\nclass Names {\n    public static void main(String[] args) {\n        List<String> names = new ArrayList<>();\n        names.add(\"a\");\n        System.out.println(names);\n    }\n}\n",
            "interface Shape {\n    double area();\n}\n\nrecord Circle(double r) implements Shape {\n    @Override\n    public double area() { return Math.PI * r * r; }\n\n    public static void main(String[] args) {\n        System.out.println(new Circle(1).area());\n    }\n}\n",
        ],
        bad: "public class Hello {\n",
    },
    Fixture {
        language: "sql",
        good: &[
            "SELECT name, COUNT(*) FROM users GROUP BY name;\n",
            "CREATE TABLE t (id INTEGER PRIMARY KEY, name TEXT NOT NULL);\nINSERT INTO t (name) VALUES ('a');\n",
            "WITH recent AS (\n  SELECT * FROM orders WHERE day > '2026-01-01'\n)\nSELECT * FROM recent ORDER BY day;\n",
            "update t set name = 'b' where id = 1;\n",
        ],
        bad: "SELEC 1;\n",
    },
];
