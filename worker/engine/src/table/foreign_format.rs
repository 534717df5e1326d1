//! Formats that are recognised by their first bytes in order to be refused with the cure.

use std::fmt;

/// Bytes that tell all formats apart.
pub(super) const START_BYTES: u64 = 8;

/// A format that is not read as CSV.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ForeignFormat {
    /// Compressed by xz.
    Xz,
    /// Compressed by zstd.
    Zstd,
    /// Compressed by bzip2.
    Bzip2,
    /// Compressed by lz4.
    Lz4,
    /// An archive of 7-Zip.
    SevenZip,
    /// Lines or an array of JSON objects.
    Json,
    /// Columns of Apache Parquet.
    Parquet,
    /// A file of Apache Arrow, also called Feather.
    Arrow,
    /// A file of HDF5.
    Hdf5,
    /// An array of NumPy.
    Numpy,
    /// XML: the first member of a spreadsheet.
    Xml,
    /// Text in UTF-16, as spreadsheets save it.
    Utf16,
}

impl ForeignFormat {
    /// The format of which the first bytes of a file tell.
    pub(super) fn of(start: &[u8]) -> Option<Self> {
        const STARTS: [(&[u8], ForeignFormat); 13] = [
            (b"\xfd7zXZ\0", ForeignFormat::Xz),
            (b"\x28\xb5\x2f\xfd", ForeignFormat::Zstd),
            (b"BZh", ForeignFormat::Bzip2),
            (b"\x04\x22\x4d\x18", ForeignFormat::Lz4),
            (b"7z\xbc\xaf\x27\x1c", ForeignFormat::SevenZip),
            (b"{", ForeignFormat::Json),
            (b"PAR1", ForeignFormat::Parquet),
            (b"ARROW1", ForeignFormat::Arrow),
            (b"\x89HDF", ForeignFormat::Hdf5),
            (b"\x93NUMPY", ForeignFormat::Numpy),
            (b"<?xml", ForeignFormat::Xml),
            (b"\xff\xfe", ForeignFormat::Utf16),
            (b"\xfe\xff", ForeignFormat::Utf16),
        ];
        let json_array = start.starts_with(b"[{") || start.starts_with(b"[\n");
        let mut starts = STARTS.iter();
        let found = starts.find(|(beginning, _)| start.starts_with(beginning));
        found
            .map(|&(_, format)| format)
            .or(json_array.then_some(Self::Json))
    }
}

impl fmt::Display for ForeignFormat {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let compressed = |formatter: &mut fmt::Formatter<'_>, name: &str, unpack: &str| {
            write!(
                formatter,
                "it is compressed by {name}, which is not read: unpack it with `{unpack}`, and pack it with \
                 gzip or zip if it has to be small"
            )
        };
        match self {
            Self::Xz => compressed(formatter, "xz", "unxz"),
            Self::Zstd => compressed(formatter, "zstd", "unzstd"),
            Self::Bzip2 => compressed(formatter, "bzip2", "bunzip2"),
            Self::Lz4 => compressed(formatter, "lz4", "unlz4"),
            Self::SevenZip => compressed(formatter, "7-Zip", "7z x"),
            Self::Json => formatter.write_str(
                "it is JSON, but tables are CSV: pandas.read_json(FILE, lines=True).to_csv(\"table.csv\", \
                 index=False) converts JSON lines",
            ),
            Self::Parquet => formatter.write_str(
                "it is Parquet, which is read as the table of a sweep file, but not here: \
                 pandas.read_parquet(FILE).to_csv(\"file.csv\", index=False) converts it",
            ),
            Self::Arrow => formatter.write_str(
                "it is an Arrow file, but tables are CSV or Parquet: \
                 pandas.read_feather(FILE).to_parquet(\"table.parquet\") converts it",
            ),
            Self::Hdf5 => formatter.write_str(
                "it is HDF5, but tables are CSV or Parquet: write the table with pandas.DataFrame.to_csv",
            ),
            Self::Numpy => formatter.write_str(
                "it is an array of NumPy, whose columns have no names, but tables are CSV or Parquet; the \
                 folder of a Syne Tune black box is read by `loto import syne-tune`",
            ),
            Self::Xml => formatter.write_str(
                "it is XML, as in a spreadsheet, but tables are CSV: save the sheet as CSV",
            ),
            Self::Utf16 => formatter.write_str(
                "it is text in UTF-16, but tables are CSV in UTF-8: save it so, or convert it with \
                 `iconv -f utf-16 -t utf-8`",
            ),
        }
    }
}
