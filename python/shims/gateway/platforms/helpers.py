import re
import time


class MessageDeduplicator:
    def __init__(self, max_size=2000, ttl_seconds=300):
        self._most = max_size
        self._ttl = ttl_seconds
        self._seen = {}

    def is_duplicate(self, message_id):
        now = time.time()
        if not message_id:
            return False
        if now - self._seen.get(message_id, 0) < self._ttl:
            return True
        self._seen[message_id] = now
        while len(self._seen) > self._most:
            del self._seen[next(iter(self._seen))]
        return False

    def clear(self):
        self._seen.clear()


def strip_markdown(text):
    text = re.sub(r"```[^\n]*\n?([\s\S]*?)```", r"\1", text)
    text = re.sub(r"`([^`]*)`", r"\1", text)
    text = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", text)
    text = re.sub(r"(?m)^#{1,6}\s+", "", text)
    return re.sub(r"(\*\*|__|~~|\*)(?=\S)(.+?)(?<=\S)\1", r"\2", text)
