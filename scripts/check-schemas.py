"""Validates values with the jsonschema package, as an opinion that is not ours.

Reads one JSON object a line, {"schema": …, "value": …} with the value as a JSON text, and prints one line for each that
is not valid. The last line says how many were valid. Formats are checked; `oneOf` counts as it does in JSON Schema.
"""

import json
import sys

from jsonschema import Draft202012Validator


# jsonschema takes about ten frames for each level of a value, and values are up to 128 deep.
sys.setrecursionlimit(20_000)


def objections(case):
    schema = case["schema"]
    Draft202012Validator.check_schema(schema)
    value = json.loads(case["value"])
    validator = Draft202012Validator(schema, format_checker=Draft202012Validator.FORMAT_CHECKER)
    return [error.message for error in validator.iter_errors(value)]


valid = 0
for number, line in enumerate(sys.stdin):
    found = objections(json.loads(line))
    if found:
        print(number, found[0], line.strip())
    else:
        valid += 1
print(valid, "valid")
