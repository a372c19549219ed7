"""An agent in Talaria: a real session of its own, with its tools, hooks and permissions."""
from talaria_host import link
from talaria_host.seal import Sealed, seal_module, sealed


@sealed
class AIAgent(metaclass=Sealed):
    """Keeps what it was made with; what Talaria has no use for is ignored."""

    def __init__(self, base_url=None, api_key=None, provider=None, api_mode=None, model="", max_iterations=90, **options):
        self.base_url = base_url
        self.api_key = api_key
        self.provider = provider
        self.api_mode = api_mode
        self.model = model
        self.max_iterations = max_iterations
        self.platform = options.get("platform")
        self.session_id = options.get("session_id")
        self.quiet_mode = bool(options.get("quiet_mode"))
        self._options = options
        self._history = options.get("conversation_history")

    def run_conversation(self, user_message, system_message=None, conversation_history=None, task_id=None, **_):
        """
        Runs one turn. A second one goes on in the same session, unless another conversation is handed over; `messages` of
        the answer is what to hand over next. {"final_response", "messages", "completed", …}.
        """
        options = self._options
        history = self._history if conversation_history is None else conversation_history
        self._history = None
        answer = link.ask(
            "agent.run",
            prompt=user_message,
            system=system_message or options.get("ephemeral_system_prompt"),
            history=list(history) if history is not None else None,
            model=self.model or None,
            provider=self.provider,
            baseUrl=self.base_url,
            apiKey=self.api_key if isinstance(self.api_key, str) else None,
            maxIterations=self.max_iterations,
            platform=self.platform,
            sessionId=self.session_id,
            enabledToolsets=options.get("enabled_toolsets"),
            disabledToolsets=options.get("disabled_toolsets"),
            skipContextFiles=bool(options.get("skip_context_files")),
            skipMemory=bool(options.get("skip_memory")),
        )
        self.session_id = answer.get("session_id") or self.session_id
        return answer

    def chat(self, message, stream_callback=None):
        response = self.run_conversation(message).get("final_response") or ""
        if stream_callback is not None and response:
            stream_callback(response)
        return response

    def interrupt(self, message=None):
        if self.session_id:
            link.ask("agent.interrupt", sessionId=self.session_id, message=message)


seal_module(__name__)
