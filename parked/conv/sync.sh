# fresh copy of HEAD in tree2 with my changes
set -e
cd /work/main
B=$(cat /tmp/work_conv/base)
rm -rf /tmp/work_conv/basetree; mkdir /tmp/work_conv/basetree; git archive $B codegen runtime | tar x -C /tmp/work_conv/basetree
(cd /tmp/work_conv && (diff -ru --exclude=__pycache__ basetree/codegen tree/codegen; diff -ru --exclude=__pycache__ basetree/runtime tree/runtime) > derive.patch || true)
git rev-parse HEAD > /tmp/work_conv/base
rm -rf /tmp/work_conv/tree; mkdir /tmp/work_conv/tree; git archive HEAD | tar x -C /tmp/work_conv/tree
cd /tmp/work_conv/tree && patch -p1 < ../derive.patch
cp /tmp/work_conv/specs/convolution/*.yaml /tmp/work_conv/tree/specs/convolution/ 2>/dev/null || { mkdir -p specs/convolution; cp /tmp/work_conv/specs/convolution/*.yaml specs/convolution/; }
cp /tmp/work_conv/specs/clauses/002.yaml specs/clauses/
cp /tmp/work_conv/test_convolution_backward.py tests/numerics/
