"""What people paste: it is read, its names are Helix's, and its keys collide with nothing."""
import re
import subprocess

from replay import CONFIGURATION, ROOT, inkling, same, toml, tomllib

# From Helix's book, languages.md and keymap.md, and its keymap/default.rs, as of 25.07.
LANGUAGE_KEYS = set("""name language-id scope injection-regex file-types shebangs roots auto-format diagnostic-severity
comment-token comment-tokens block-comment-tokens indent language-servers grammar formatter soft-wrap text-width rulers
path-completion word-completion workspace-lsp-roots persistent-diagnostic-sources""".split())
SERVER_KEYS = set("command args config timeout environment required-root-patterns".split())
SPACE_KEYS = set("f F b j g G k s S d D l r a h ' w c C A-c p P y Y R / ? e E .".split())


def snippets(path):
    return [tomllib.loads(text) for text in re.findall(r"^```toml\n(.*?)^```", path.read_text(), re.M | re.S)]


def check_languages(configuration):
    same(set(configuration) - {"language-server", "language"}, set())
    servers = configuration["language-server"]
    for server in servers.values():
        same(set(server) - SERVER_KEYS, set())
    same([servers["inkling"]["command"], servers["inkling"]["args"]], ["inkling", ["connect"]])
    for language in configuration["language"]:
        same(set(language) - LANGUAGE_KEYS, set())
        assert "inkling" in language["language-servers"], language


def test_languages_have_helix_names():
    configuration = toml("languages.toml")
    check_languages(configuration)
    for language in configuration["language"]:
        if language["name"] == "text":  # Not one of Helix's own.
            same([language["scope"], language["file-types"]], ["text.plain", ["txt"]])


def test_settings_of_the_server_stand_in_the_protocol():
    contract = (ROOT / "protocol.md").read_text()
    settings = toml("languages.toml")["language-server"]["inkling"]["config"]
    same(set(settings), {"summarize", "brainstorm"})
    for name, value in settings.items():
        same(set(value), {"placement"})
        assert f'"{name}": {{"placement": ' in contract, name
        assert f"| `{value['placement']}` |" in contract, value


def test_the_readme_shows_a_part_of_the_file():
    found = [snippet for snippet in snippets(ROOT / "README.md") if "language-server" in snippet]
    same(len(found), 1)
    check_languages(found[0])
    whole = toml("languages.toml")
    for language in found[0]["language"]:
        assert language in whole["language"], language


def test_keys_are_free_in_helix():
    keys = toml("config.toml")["keys"]
    same(set(keys), {"normal", "select"})
    for mode in keys.values():
        same(set(mode), {"space"})
        same(set(mode["space"]) & SPACE_KEYS, set())
    same(keys["normal"], keys["select"])


def test_the_readme_names_every_key():
    text = (CONFIGURATION / "README.md").read_text()
    table = text[text.index("| key |"):text.index("They work")]
    for key in toml("config.toml")["keys"]["normal"]["space"]["i"]:
        assert f"`{key}`" in table, key


def bindings():
    found = toml("config.toml")["keys"]["normal"]["space"]["i"]
    same(found["i"], "code_action")
    return [binding for binding in found.values() if binding != "code_action"]


def test_pipes_have_the_options_of_the_program():
    for binding in bindings():
        assert binding.startswith(":pipe inkling ") and binding.endswith(" 2>/dev/null"), binding
        assert "--timeout" in binding, binding
        assert "%" not in binding, "Helix would expand it"
        command, *options = binding.split()[2:-1]
        help_text = subprocess.run([inkling(), command, "--help"], stdout=subprocess.PIPE, check=True, text=True).stdout
        for option, value in zip(options[::2], options[1::2]):
            assert f"  {option} " in help_text, binding
            if option == "--tone":
                assert f"  {value} " in help_text, binding
