use super::*;

fn uses(names: &[&str]) -> Vec<NameUse> {
    names.iter().map(|name| NameUse { name: (*name).to_owned(), line: 7 }).collect()
}

fn bounds(names: &[&str]) -> Vec<(&'static str, &'static str)> {
    removals(&uses(names)).into_iter().map(|bound| (bound.package, bound.below)).collect()
}

#[test]
fn what_a_program_uses_and_no_release_has() {
    for (names, expected) in [
        (&["numpy.float"] as &[&str], &[("numpy", "1.24")] as &[(&str, &str)]),
        (&["numpy.NaN", "numpy.float"], &[("numpy", "1.24")]),
        (&["sklearn.cross_validation.train_test_split"], &[("scikit-learn", "0.20")]),
        (&["sklearn.preprocessing.OneHotEncoder(sparse=)"], &[("scikit-learn", "1.4")]),
        (&["sklearn.datasets.fetch_mldata"], &[("scikit-learn", "0.22")]),
        (&["sklearn.externals.joblib"], &[("scikit-learn", "0.23")]),
        (&["flask.ext.sqlalchemy.SQLAlchemy"], &[("flask", "1.0")]),
        (&["scipy.misc.imread"], &[("scipy", "1.2")]),
        (&["networkx.connected_component_subgraphs"], &[("networkx", "2.4")]),
        (&["pandas.DataFrame", "?.applymap()"], &[("pandas", "3.0")]),
        (&["pandas.date_range(freq=\"M\")"], &[("pandas", "3.0")]),
        (&["pandas.Series", "?.resample(\"M\")"], &[("pandas", "3.0")]),
        (&["matplotlib.pyplot.subplots", "?.boxplot(labels=)"], &[("matplotlib", "3.11")]),
        (&["tensorflow.Session"], &[("tensorflow-cpu", "2.0")]),
        (&["openai.ChatCompletion.create"], &[("openai", "1.0")]),
    ] {
        let found: Vec<(String, &str)> =
            bounds(names).into_iter().map(|(package, below)| (package.to_ascii_lowercase(), below)).collect();
        let expected: Vec<(String, &str)> =
            expected.iter().map(|(package, below)| ((*package).to_owned(), *below)).collect();
        assert_eq!(found, expected, "{names:?}");
    }
}

#[test]
fn what_is_still_there_is_not_bound() {
    for names in [
        &["numpy.array", "numpy.bool", "numpy.float64"] as &[&str],
        &["?.applymap()"],
        &["pandas.date_range(freq=\"ME\")"],
        &["pandas.DataFrame", "?.append()"],
        &["sklearn.model_selection.train_test_split"],
        &["matplotlib.pyplot.plot"],
        &["no_such_module.float"],
        &["?", "", "(", "?."],
    ] {
        assert_eq!(bounds(names), [], "{names:?}");
    }
}

#[test]
fn what_a_run_missed() {
    for (module, name, below) in [
        ("numpy", "float", "1.24"),
        ("sklearn.cross_validation", "", "0.20"),
        ("sklearn", "OneHotEncoder(sparse=)", "1.4"),
        ("pandas", "DataFrame.append", "2.0"),
        ("matplotlib", "boxplot(labels=)", "3.11"),
        ("flask", "Markup", "3.0"),
    ] {
        assert_eq!(removal_of(module, name).map(|bound| bound.below), Some(below), "{module} {name}");
    }
    assert_eq!(removal_of("numpy", "no_such_thing_ever"), None);
    assert_eq!(removal_of("", ""), None);
}

#[test]
fn versions_are_numbers() {
    assert_eq!(order("1.9", "1.10"), Ordering::Less);
    assert_eq!(order("2", "2.0"), Ordering::Less);
    assert_eq!(order("0.20", "0.20"), Ordering::Equal);
}

#[test]
fn every_row_is_found_and_whole() {
    for table in [KNOWN, LISTED.table()] {
        for row in table.rows() {
            assert!(table.find(row.key()).is_some(), "{}", row.key());
            assert!(
                row.given(1).is_some() && row.field(2).starts_with(|first: char| first.is_ascii_digit()),
                "{}",
                row.key()
            );
            assert_eq!(row.field(3).len(), "2024-06-16".len(), "{}", row.key());
        }
    }
}
