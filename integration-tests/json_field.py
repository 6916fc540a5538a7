"""Prints one field of the JSON object on standard input: json_field.py stats.total.cache_hits"""

import json
import sys


def field(document, path):
    for name in path.split("."):
        if not isinstance(document, dict) or name not in document:
            return ""
        document = document[name]
    return document


if __name__ == "__main__":
    text = sys.stdin.read()
    try:
        value = field(json.loads(text), sys.argv[1])
    except ValueError:
        value = ""
    print(value if not isinstance(value, (dict, list)) else json.dumps(value))
