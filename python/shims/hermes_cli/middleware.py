"""Names of the four kinds of middleware, and the versions that their callbacks are told."""
TOOL_REQUEST_MIDDLEWARE = "tool_request"
TOOL_EXECUTION_MIDDLEWARE = "tool_execution"
LLM_REQUEST_MIDDLEWARE = "llm_request"
LLM_EXECUTION_MIDDLEWARE = "llm_execution"
VALID_MIDDLEWARE = frozenset(
    (TOOL_REQUEST_MIDDLEWARE, TOOL_EXECUTION_MIDDLEWARE, LLM_REQUEST_MIDDLEWARE, LLM_EXECUTION_MIDDLEWARE)
)
MIDDLEWARE_SCHEMA_VERSION = "hermes.middleware.v1"
OBSERVER_SCHEMA_VERSION = "hermes.observer.v1"
