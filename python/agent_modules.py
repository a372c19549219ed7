"""Which of the agent's modules (shims/) hold what the host needs of them; each is imported when it is first needed."""
from importlib import import_module

_PLACES = {
    "PluginLlm": "agent.plugin_llm",
    "PluginLlmTrustError": "agent.plugin_llm",
    "WebSearchProvider": "agent.web_search_provider",
    "ImageGenProvider": "agent.image_gen_provider",
    "VideoGenProvider": "agent.video_gen_provider",
    "TTSProvider": "agent.tts_provider",
    "TranscriptionProvider": "agent.transcription_provider",
    "BrowserProvider": "agent.browser_provider",
    "MemoryProvider": "agent.memory_provider",
    "ContextEngine": "agent.context_engine",
    "PlatformConfig": "gateway.config",
    "PlatformEntry": "gateway.platform_registry",
    "platform_registry": "gateway.platform_registry",
    "MessageEvent": "gateway.platforms.base",
    "runner": "gateway.run",
}


def find(name):
    return getattr(import_module(_PLACES[name]), name)
