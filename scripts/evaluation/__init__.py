"""What scripts/eval.py is made of. Nothing here knows the product's own checks: the detectors are written anew."""
