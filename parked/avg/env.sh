cd /tmp/wt-avg
export PYTHONPATH=/tmp/wt-avg/codegen:/tmp/wt-avg/runtime:/tmp/wt-avg/generated:/tmp/wt-avg
export PATH=/work/main/.venv/bin:$PATH
