#!/bin/bash
# Bring the commits of /tmp/wt-avg onto main without touching anybody's uncommitted work.
set -e
cd /tmp/wt-avg
[ -z "$(git status --porcelain --untracked-files=no)" ] || { echo "worktree dirty"; exit 1; }
[ "$(git merge-base HEAD main)" = "$(git rev-parse main)" ] || { echo "rebase first"; exit 1; }
OLD=$(git rev-parse main); NEW=$(git rev-parse HEAD)
[ "$OLD" = "$NEW" ] && { echo nothing; exit 0; }
cd /work/main
files=$(git diff --no-renames --name-only $OLD $NEW)
# every file: the working tree must take the change
for f in $files; do
  git diff --no-renames --binary $OLD $NEW -- "$f" > /tmp/work_avg/one.patch
  if git diff --quiet $OLD -- "$f" && { git ls-files --error-unmatch "$f" >/dev/null 2>&1 || [ ! -e "$f" ]; }; then continue; fi
  git apply --check /tmp/work_avg/one.patch 2>/dev/null || { cmp -s "$f" <(git show $NEW:"$f" 2>/dev/null) && continue; echo "CONFLICT: $f"; [ -n "$FORCE" ] || exit 1; }
done
for f in $files; do
  git diff --no-renames --binary $OLD $NEW -- "$f" > /tmp/work_avg/one.patch
  cmp -s "$f" <(git show $NEW:"$f" 2>/dev/null) && continue
  git apply /tmp/work_avg/one.patch || { [ -n "$FORCE" ] && git show $NEW:"$f" > "$f"; }
done
git update-ref refs/heads/main $NEW $OLD
git reset -q -- $files
echo "integrated:"; git log --oneline $OLD..$NEW; git status --short | head
