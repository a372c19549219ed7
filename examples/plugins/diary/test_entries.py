import unittest

from entries import entry, last


class EntriesTest(unittest.TestCase):
    def test_an_entry_names_the_tool_and_its_time(self):
        self.assertEqual(entry("terminal", 12.4), "terminal took 12 ms")

    def test_the_last_ones_are_given(self):
        self.assertEqual(last(["a", "b", "c"], 2), ["b", "c"])
        self.assertEqual(last(["a"], 0), [])
