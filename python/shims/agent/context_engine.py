import abc

from talaria_host.seal import Sealed, sealed


@sealed
class ContextEngine(metaclass=Sealed):
    """In place of the summary that makes room when the window fills."""

    last_prompt_tokens = 0
    last_completion_tokens = 0
    last_total_tokens = 0
    threshold_tokens = 0
    context_length = 0
    compression_count = 0
    threshold_percent = 0.75
    protect_first_n = 3
    protect_last_n = 6

    @property
    @abc.abstractmethod
    def name(self):
        """How `context.engine` names it."""

    @abc.abstractmethod
    def update_from_response(self, usage):
        """After each answer of the model."""

    @abc.abstractmethod
    def should_compress(self, prompt_tokens=None):
        """Whether to make room now."""

    @abc.abstractmethod
    def compress(self, messages, current_tokens=None, focus_topic=None):
        """The messages that are to take their place."""

    def should_compress_preflight(self, messages):
        return False

    def should_defer_preflight_to_real_usage(self, *_):
        return False

    def has_content_to_compress(self, messages):
        return True

    def on_session_start(self, session_id, **kwargs):
        return None

    def on_session_end(self, session_id, messages):
        return None

    def on_session_reset(self):
        return None

    def get_tool_schemas(self):
        return []

    def handle_tool_call(self, name, args, **kwargs):
        raise NotImplementedError("%s has no tool %s" % (self.name, name))

    def get_status(self):
        return {"compression_count": self.compression_count, "context_length": self.context_length}

    def update_model(self, model, context_length, **kwargs):
        self.context_length = context_length
        self.threshold_tokens = int(context_length * self.threshold_percent)
