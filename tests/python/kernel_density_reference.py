#!/usr/bin/env python3
"""Print what statsmodels gives for the kernel density in the tests of worker/engine/src/methods/bohb.

    python tests/python/kernel_density_reference.py
"""

import numpy as np
from statsmodels.nonparametric.kernel_density import KDEMultivariate

POINTS = np.array([[0, 0], [0, 1], [0, 1], [0, 3], [1, 1], [2, 1], [0, 2]])
AT = ([0, 1], [2, 0])

rule = KDEMultivariate(POINTS, var_type="uu", bw="normal_reference").bw
print("bandwidths by the rule:", [float(bandwidth) for bandwidth in rule])
for minimum in (0.3, 0.6):
    bandwidths = np.maximum(rule, minimum)
    density = KDEMultivariate(POINTS, var_type="uu", bw=bandwidths)
    densities = [float(density.pdf([point])) for point in AT]
    print(f"densities at {AT} with bandwidths of at least {minimum}:", densities)
