# Sourced by the programs in bin/, with $root set to the checkout. Makes sure that the dependencies are
# there and sets $node to the Node that runs Posthouse. Needs only npm and any Node from 20 on.

stamp="$root/node_modules/.posthouse-installed"
lock="$root/.installing"

install_if_needed() {
  wanted="$(cksum <"$root/package-lock.json") $(uname -sm)"
  if ! is_installed; then
    take_lock
    # Another process may have done it while we waited.
    is_installed || install_all
    release_lock
  fi
  find_node
}

is_installed() {
  [ -f "$stamp" ] && [ "$(cat "$stamp")" = "$wanted" ] && return 0
  # Installed by hand: npm keeps a list of what it has put there.
  [ -f "$root/node_modules/.package-lock.json" ] || return 1
  node -e '
    const { readFileSync } = require("node:fs")
    const read = (file) => JSON.parse(readFileSync(process.argv[1] + file, "utf8")).packages
    const wanted = Object.entries(read("/package-lock.json"))
    const found = read("/node_modules/.package-lock.json")
    const isThere = ([path, { version, optional }]) =>
      path === "" || optional || found[path]?.version === version
    process.exit(wanted.every(isThere) ? 0 : 1)
  ' "$root" 2>/dev/null || return 1
  write_stamp
}

write_stamp() {
  # A checkout that somebody else owns is fine as it is.
  { echo "$wanted" >"$stamp"; } 2>/dev/null || true
}

install_all() {
  command -v npm >/dev/null || fail "npm is missing: install Node.js (any version from 20 on) with npm"
  echo 'Installing dependencies (once, about 450 MB)...' >&2
  # A registry may lack builds for platforms that are not ours, which `ci` minds and `install` does not.
  # Some machines forbid install scripts; without them only the runtime is missing, which follows.
  run_npm ci ||
    run_npm install --no-save ||
    run_npm install --no-save --ignore-scripts ||
    fail 'npm could not install the dependencies (see above)'
  runs "$root/node_modules/.bin/node" || install_runtime || true
  write_stamp
}

run_npm() {
  (cd "$root" && npm "$@" --no-fund --no-audit --loglevel=error) >&2
}

# What the install script of the package `node` does, without being one.
install_runtime() {
  package="$root/node_modules/node"
  version=$(node -p 'require(process.argv[1]).version' "$package/package.json") || return 1
  name=$(node -p '`${process.platform}-${process.arch}`') || return 1
  # The one package that is named otherwise.
  case $name in darwin-arm64) name=node-bin-$name ;; *) name=node-$name ;; esac
  echo "Installing Node $version..." >&2
  (
    mkdir -p "$package/bin" "$root/node_modules/.bin" &&
      cd "$package" &&
      npm install --no-save --no-package-lock --ignore-scripts --no-fund --no-audit \
        --loglevel=error "$name@$version" >&2 &&
      mv "node_modules/$name/bin/node" bin/node &&
      rm -rf "node_modules/$name" &&
      ln -sf ../node/bin/node "$root/node_modules/.bin/node"
  )
}

find_node() {
  node="$root/node_modules/.bin/node"
  ! runs "$node" || return 0
  node=$(command -v node || true)
  ! runs "$node" || return 0
  node="$root/node_modules/.bin/node"
  ! install_runtime || ! runs "$node" || return 0
  fail 'Posthouse needs Node 24.12 or later, and the one it installs does not run here. Install it from
your system or from nodejs.org, so that `node` is found, and try again.'
}

# TypeScript is run as it is, which Node can since 24.12 without a warning.
runs() {
  "$1" -e '
    const [major, minor] = process.versions.node.split(".").map(Number)
    process.exit(major > 24 || (major === 24 && minor >= 12) ? 0 : 1)
  ' >/dev/null 2>&1
}

# A folder, because making one either succeeds or fails, everywhere.
take_lock() {
  waited=0
  until mkdir "$lock" 2>/dev/null; do
    [ -d "$lock" ] || fail "cannot write to $root to install the dependencies"
    holder=$(cat "$lock/pid" 2>/dev/null || true)
    if [ -n "$holder" ] && ! kill -0 "$holder" 2>/dev/null && ! ps -p "$holder" >/dev/null 2>&1; then
      drop_lock_of "$holder"
      continue
    fi
    [ $waited -gt 0 ] || echo 'Waiting for another installation of dependencies to end...' >&2
    [ $waited -lt 1800 ] || fail "no other installation ends; if there is none, remove $lock"
    waited=$((waited + 1))
    sleep 1
  done
  echo $$ >"$lock/pid"
  trap release_lock EXIT
  trap 'release_lock; exit 130' INT TERM HUP
}

# It was killed. Of several who see that, one gets the folder; a lock taken meanwhile is put back.
drop_lock_of() {
  mv "$lock" "$lock.$$" 2>/dev/null || return 0
  [ "$(cat "$lock.$$/pid" 2>/dev/null)" = "$1" ] || mv "$lock.$$" "$lock" 2>/dev/null || true
  rm -rf "$lock.$$"
}

release_lock() {
  trap - EXIT INT TERM HUP
  rm -rf "$lock"
}

fail() {
  echo "posthouse: $1" >&2
  exit 1
}
