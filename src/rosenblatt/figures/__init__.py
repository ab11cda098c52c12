"""Figures: everything the lectures draw, on anyone's data.

Each function takes ``ax=`` (or ``axes=``) and returns it, and draws from a fitted estimator, a Run,
a Trace, a Decision, or plain weights. Needs matplotlib: ``pip install "rosenblatt[plot]"``; nothing
of it is imported before something is drawn. `theme` switches between light and dark.

What a reader must know of a picture, such as how many of many lines are drawn, is written under its
axes; axes of your own leave room for it if they are made by ``plt.subplots(layout="constrained")``.
"""

from rosenblatt.figures.activation import (
    activation_bias,
    activation_plane,
    side_by_side,
    with_product,
)
from rosenblatt.figures.angle_view import angles
from rosenblatt.figures.animation import animate
from rosenblatt.figures.bars import weight_bars
from rosenblatt.figures.bias_views import lifted_points, moved_bias
from rosenblatt.figures.certificates import certificate, hulls, separation
from rosenblatt.figures.cost import cost, cost_scaling, growth_classes
from rosenblatt.figures.diagram import unit
from rosenblatt.figures.drawing.style import theme
from rosenblatt.figures.errors import fewest_errors
from rosenblatt.figures.images import contact_sheet, weight_images
from rosenblatt.figures.matrices import confusion, pairs_matrix
from rosenblatt.figures.multiclass import regions
from rosenblatt.figures.pictures import kinds, picture
from rosenblatt.figures.proof import bracket, mistakes_per_pass, online_mistakes, sandwich
from rosenblatt.figures.risk import risk_contours, risk_surface, step_sizes
from rosenblatt.figures.spaces import x_space
from rosenblatt.figures.vectors import ball, update_vectors, vector_projection
from rosenblatt.figures.weights3d import weight_planes, weight_section
from rosenblatt.figures.wspace import w_space, xw_space

__all__ = [
    "activation_bias",
    "activation_plane",
    "angles",
    "animate",
    "ball",
    "bracket",
    "certificate",
    "confusion",
    "contact_sheet",
    "cost",
    "cost_scaling",
    "fewest_errors",
    "growth_classes",
    "hulls",
    "kinds",
    "lifted_points",
    "mistakes_per_pass",
    "moved_bias",
    "online_mistakes",
    "pairs_matrix",
    "picture",
    "regions",
    "risk_contours",
    "risk_surface",
    "sandwich",
    "separation",
    "side_by_side",
    "step_sizes",
    "theme",
    "unit",
    "update_vectors",
    "vector_projection",
    "w_space",
    "weight_bars",
    "weight_images",
    "weight_planes",
    "weight_section",
    "with_product",
    "x_space",
    "xw_space",
]
