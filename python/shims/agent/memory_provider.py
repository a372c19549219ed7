import abc

from talaria_host.seal import Sealed, sealed


@sealed
class MemoryProvider(metaclass=Sealed):
    """Long-term memory. The four abstract parts are needed, the rest is there to be overridden."""

    @property
    @abc.abstractmethod
    def name(self):
        """How `memory.provider` names it."""

    @abc.abstractmethod
    def is_available(self):
        """Without the network."""

    @abc.abstractmethod
    def initialize(self, session_id, **kwargs):
        """Once for each session."""

    @abc.abstractmethod
    def get_tool_schemas(self):
        """Tools in OpenAI's form; may be empty."""

    def system_prompt_block(self):
        return ""

    def prefetch(self, query, *, session_id=""):
        return ""

    def queue_prefetch(self, query, *, session_id=""):
        return None

    def sync_turn(self, user_content, assistant_content, *, session_id="", messages=None):
        return None

    def handle_tool_call(self, tool_name, args, **kwargs):
        raise NotImplementedError("%s has no tool %s" % (self.name, tool_name))

    def shutdown(self):
        return None

    def on_turn_start(self, turn_number, message, **kwargs):
        return None

    def on_session_end(self, messages):
        return None

    def on_session_switch(self, new_session_id, **kwargs):
        return None

    def on_pre_compress(self, messages):
        return ""

    def on_delegation(self, task, result, **kwargs):
        return None

    def on_memory_write(self, action, target, content, metadata=None):
        return None

    def get_config_schema(self):
        return []

    def save_config(self, values, hermes_home):
        return None
