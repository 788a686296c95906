"""Gives files to a chatbot, or those that have changed since, and waits until answers use them.

PARLEY_URL=https://parley.example.com/api/v1 PARLEY_TOKEN=parley_… python example/sync.py help/*.md

The token needs the scopes knowledge:read and knowledge:write.
"""

import os
import sys

from parley_client import Parley

with Parley(os.environ["PARLEY_URL"], os.environ["PARLEY_TOKEN"]) as parley:
    for path in sys.argv[1:]:
        document = parley.add_file(path, external_id=path)
        parley.wait_until_ready(document["id"])
        print(document["result"], path)
