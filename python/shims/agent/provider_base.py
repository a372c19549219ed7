"""What the providers of all kinds share."""
import abc

from talaria_host.seal import Sealed, sealed


@sealed
class ProviderBase(metaclass=Sealed):
    @property
    @abc.abstractmethod
    def name(self):
        """How the configuration names it."""

    @property
    def display_name(self):
        return self.name.replace("-", " ").replace("_", " ").title()

    def is_available(self):
        return True

    def list_models(self):
        return []

    def default_model(self):
        models = self.list_models()
        return models[0].get("id") if models else None

    def get_setup_schema(self):
        return {"name": self.display_name, "badge": "", "tag": "", "env_vars": []}
