use super::*;
use actum_model::ImportKind;

fn package(module: &str) -> &'static str {
    match provider(module, Display::Unused) {
        Provider::Package(provided) => provided.package,
        Provider::Python2 { .. } => "(Python 2)",
        Provider::Elsewhere { place } => place,
        Provider::Generic => "(own)",
        Provider::Unknown => "(unknown)",
    }
}

#[test]
fn what_most_programs_import() {
    for (module, expected) in [
        ("numpy", "numpy"),
        ("matplotlib.pyplot", "matplotlib"),
        ("sklearn.model_selection", "scikit-learn"),
        ("PIL.Image", "pillow"),
        ("bs4", "beautifulsoup4"),
        ("yaml", "PyYAML"),
        ("dateutil.parser", "python-dateutil"),
        ("Crypto.Cipher", "pycryptodome"),
        ("OpenSSL", "pyOpenSSL"),
        ("jwt", "PyJWT"),
        ("docx", "python-docx"),
        ("pptx", "python-pptx"),
        ("fitz", "PyMuPDF"),
        ("magic", "python-magic"),
        ("serial", "pyserial"),
        ("usb.core", "pyusb"),
        ("skimage.io", "scikit-image"),
        ("psycopg2.extras", "psycopg2-binary"),
        ("faiss", "faiss-cpu"),
        ("tensorflow.keras", "tensorflow-cpu"),
        ("llama_index.core", "llama-index-core"),
        ("web", "web.py"),
        ("bson", "pymongo"),
    ] {
        assert_eq!(package(module), expected, "{module}");
    }
}

#[test]
fn the_longest_known_part_of_a_namespace_decides() {
    for (module, expected) in [
        ("mpl_toolkits.mplot3d", "matplotlib"),
        ("mpl_toolkits.mplot3d.axes3d", "matplotlib"),
        ("mpl_toolkits.basemap", "basemap"),
        ("google.protobuf.message", "protobuf"),
        ("google.cloud.storage", "google-cloud-storage"),
        ("google.cloud.secretmanager_v1.types", "google-cloud-secret-manager"),
        ("googleapiclient.discovery", "google-api-python-client"),
        ("azure.storage.blob.aio", "azure-storage-blob"),
        ("azure.mgmt.compute", "azure-mgmt-compute"),
        ("ruamel.yaml", "ruamel.yaml"),
        ("zope.component", "zope.component"),
        ("jaraco.text", "jaraco.text"),
        ("sphinxcontrib.bibtex", "sphinxcontrib-bibtex"),
        ("opentelemetry.sdk.trace", "opentelemetry-sdk"),
        ("opentelemetry.trace", "opentelemetry-api"),
        ("google.colab", "Colab"),
    ] {
        assert_eq!(package(module), expected, "{module}");
    }
}

#[test]
fn what_is_no_package_is_told() {
    for (module, expected) in [
        ("utils.io", "(own)"),
        ("config", "(own)"),
        ("urllib2", "(Python 2)"),
        ("Tkinter", "(Python 2)"),
        ("win32api", "Windows"),
        ("bpy.ops", "Blender"),
        ("no_such_module_at_all", "(unknown)"),
        ("", "(unknown)"),
    ] {
        assert_eq!(package(module), expected, "{module}");
    }
}

#[test]
fn windows_decide_the_build() {
    let shown = provider("cv2", Display::Used);
    assert!(matches!(shown, Provider::Package(provided) if provided.package == "opencv-python"));
    assert_eq!(package("cv2"), "opencv-python-headless");
}

#[test]
fn a_bound_belongs_to_the_choice() {
    let Provider::Package(setuptools) = provider("pkg_resources", Display::Unused) else {
        panic!("setuptools is a package")
    };
    assert_eq!((setuptools.package, setuptools.bound), ("setuptools", Some("<81")));
}

#[test]
fn names_taken_from_a_namespace_are_packages_of_their_own() {
    let import = |module: &str, names: &[&str]| Import {
        module: module.to_owned(),
        names: names.iter().map(|name| (*name).to_owned()).collect(),
        line: 1,
        kind: ImportKind::Plain,
        via: "from".to_owned(),
    };
    let packages = |import: &Import| -> Vec<&'static str> {
        let of = |one| match one {
            Provider::Package(provided) => Some(provided.package),
            Provider::Python2 { .. } | Provider::Elsewhere { .. } | Provider::Generic | Provider::Unknown => {
                None
            }
        };
        providers(import, Display::Unused).into_iter().filter_map(of).collect()
    };
    let two = import("google.cloud", &["storage", "bigquery"]);
    assert_eq!(packages(&two), ["google-cloud-storage", "google-cloud-bigquery"]);
    assert_eq!(packages(&import("google", &["genai"])), ["google-genai"]);
    assert_eq!(packages(&import("numpy", &["array"])), ["numpy"]);
    assert_eq!(packages(&import("mpl_toolkits", &["mplot3d"])), ["matplotlib"]);
}

/// A row that cannot be found is a row in the wrong place.
#[test]
fn every_row_is_found() {
    for (name, table) in [("namespaces", NAMESPACES), ("variants", VARIANTS), ("imports", IMPORTS.table())] {
        let rows: Vec<Row> = table.rows().collect();
        assert!(rows.len() > 100, "{name}");
        for row in rows {
            assert_eq!(table.find(row.key()), Some(row), "{name}: {}", row.key());
            assert!(row.given(1).is_some(), "{name}: {}", row.key());
        }
    }
}

#[test]
fn no_row_is_for_a_generic_name() {
    let generic: Vec<&str> = IMPORTS.table().rows().map(Row::key).filter(|key| is_generic(key)).collect();
    assert_eq!(generic, [""; 0]);
}
