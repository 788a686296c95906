"""Asks a chatbot a question and prints the answer while it is written.

PARLEY_URL=https://parley.example.com/api/v1 PARLEY_TOKEN=parley_… python example/ask.py "When do you open?"
"""

import os
import sys

from parley_client import Parley

with Parley(os.environ["PARLEY_URL"], os.environ["PARLEY_TOKEN"]) as parley:
    for event in parley.stream(" ".join(sys.argv[1:]), include=["sources"]):
        if event["type"] == "delta":
            print(event["content"], end="", flush=True)
        if event["type"] == "restarted":
            print("\n\nOnce more:\n")
        if event["type"] == "sources":
            print()
            for source in event["sources"]:
                if source["cited"]:
                    print(f"[{source['number']}] {source['title']} {source.get('url', '')}")
