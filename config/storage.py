from servestatic.storage import CompressedManifestStaticFilesStorage


class StaticStorage(CompressedManifestStaticFilesStorage):
    """Hashed and compressed files, in which JavaScript imports point at hashed files too."""

    support_js_module_import_aggregation = True
