set -e
cd /work/main
BASE=$(cat /tmp/work_conv/base)
# refuse when somebody changed what I changed
git diff --quiet $BASE HEAD -- codegen/aclspec/codegen/derive runtime/aclspec/runtime/testing specs generated || { echo "HEAD moved in my paths"; git diff --stat $BASE HEAD -- codegen/aclspec/codegen/derive runtime/aclspec/runtime/testing specs generated; exit 1; }
git diff --quiet HEAD -- codegen/aclspec/codegen/derive runtime/aclspec/runtime/testing specs generated || { echo "dirty"; git status --short; exit 1; }
rsync -a --delete --exclude=__pycache__ /tmp/work_conv/tree/generated/ generated/
for f in deriver moves search violations; do cp /tmp/work_conv/tree/codegen/aclspec/codegen/derive/$f.py codegen/aclspec/codegen/derive/; done
cp /tmp/work_conv/tree/runtime/aclspec/runtime/testing/numbers.py runtime/aclspec/runtime/testing/
mkdir -p specs/convolution; cp /tmp/work_conv/tree/specs/convolution/*.yaml specs/convolution/; cp /tmp/work_conv/tree/specs/clauses/002.yaml specs/clauses/; cp /tmp/work_conv/tree/specs/rules.lock specs/
cp /tmp/work_conv/test_convolution_backward.py tests/numerics/
git status --short
