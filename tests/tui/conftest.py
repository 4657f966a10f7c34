"""Pictures are kept as SVG files."""

from pytest_textual_snapshot import SVGImageExtension  # type: ignore[import-untyped]  # the plugin has no types

SVGImageExtension.file_extension = "svg"  # the plugin names it as an older syrupy did
