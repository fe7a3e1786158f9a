"""outwit as an engine of unified-planning.

The engines solve and validate Sokoban in the form of the International Planning Competition, whatever its
actions and objects are called, and refuse every other problem. `register` makes them known by the names
`outwit` and `outwit-opt`.
"""

from __future__ import annotations

from unified_planning.environment import Environment, get_environment

from .engine import OutwitEngine, OutwitOptimalEngine
from .strips import Unsupported

__all__ = ["OutwitEngine", "OutwitOptimalEngine", "Unsupported", "register"]

_ENGINES = {"outwit": "OutwitEngine", "outwit-opt": "OutwitOptimalEngine"}


def register(environment: Environment | None = None) -> None:
    """Adds the engines to the factory of an environment, the global one if none is given.

    They come last in the order in which unified-planning chooses an engine by itself, for they solve one
    domain only.
    """
    factory = get_environment(environment).factory
    for name, engine in _ENGINES.items():
        if name not in factory.engines:
            factory.add_engine(name, __name__, engine)
