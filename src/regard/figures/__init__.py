"""Pictures of attention: arrays with labels, drawn for the terminal and for paper."""

from typing import TYPE_CHECKING

from regard.lazy import modules

if TYPE_CHECKING:
    from regard.figures import flow, geometry, heatmap, images, plots, scatter, style, terminal
else:
    flow, geometry, heatmap, images, plots, scatter, style, terminal = modules(
        __name__, "flow", "geometry", "heatmap", "images", "plots", "scatter", "style", "terminal"
    )
