"""Ensemble -> fewer columns: feature selectors on the label matrix."""

from consens.select._base import BaseSelector
from consens.select.cluster_and_select import ClusterAndSelect
from consens.select.diagram import SelectConvexHull, SelectQuadrant
from consens.select.entropy import DropDegenerate
from consens.select.greedy import SelectDiversity, SelectJoint, SelectQuality
from consens.select.random_subsets import SelectMedianDiversity, SelectRandom

__all__ = [
    "BaseSelector",
    "ClusterAndSelect",
    "DropDegenerate",
    "SelectConvexHull",
    "SelectDiversity",
    "SelectJoint",
    "SelectMedianDiversity",
    "SelectQuadrant",
    "SelectQuality",
    "SelectRandom",
]
