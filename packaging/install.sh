#!/bin/sh
# Installs the program quipu from a release, after its checksum was compared:
#   curl -fsSL https://github.com/quipu-memory/quipu/releases/latest/download/install.sh | sh
#
# QUIPU_VERSION    the release to install, for example 0.1.0; default: the newest
# QUIPU_INSTALL    the folder for the program; default: ~/.local/bin
# QUIPU_RELEASES   the address of the releases; a file:// address works too
set -eu

releases=${QUIPU_RELEASES:-https://github.com/quipu-memory/quipu/releases}
folder=${QUIPU_INSTALL:-$HOME/.local/bin}

fail() {
  echo "install: $*" >&2
  exit 1
}

# Everything is in functions, so that a download that breaks off runs nothing.
target_of_this_machine() {
  case "$(uname -s)" in
    Linux) system=unknown-linux-gnu ;;
    Darwin) system=apple-darwin ;;
    *) fail "there is no archive for $(uname -s); build from source with cargo" ;;
  esac
  case "$(uname -m)" in
    x86_64 | amd64) machine=x86_64 ;;
    aarch64 | arm64) machine=aarch64 ;;
    *) fail "there is no archive for $(uname -m); build from source with cargo" ;;
  esac
  echo "$machine-$system"
}

download() {
  if command -v curl >/dev/null; then
    curl -fsSL --retry 3 -o "$2" "$1" || fail "cannot download $1"
  elif command -v wget >/dev/null; then
    wget -q -O "$2" "$1" || fail "cannot download $1"
  else
    fail "curl or wget is needed"
  fi
}

checksum_of() {
  if command -v sha256sum >/dev/null; then
    sha256sum "$1" | cut -d ' ' -f 1
  elif command -v shasum >/dev/null; then
    shasum -a 256 "$1" | cut -d ' ' -f 1
  else
    fail "sha256sum or shasum is needed to check the download"
  fi
}

install_quipu() {
  target=$(target_of_this_machine)
  if [ -n "${QUIPU_VERSION:-}" ]; then
    address=$releases/download/v$QUIPU_VERSION
  else
    address=$releases/latest/download
  fi
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT

  download "$address/SHA256SUMS" "$work/SHA256SUMS"
  line=$(grep -- "  quipu-[0-9][^ ]*-$target\.tar\.gz\$" "$work/SHA256SUMS" || true)
  [ -n "$line" ] || fail "this release has no archive for $target"
  expected=${line%% *}
  archive=${line##* }

  download "$address/$archive" "$work/$archive"
  found=$(checksum_of "$work/$archive")
  [ "$found" = "$expected" ] ||
    fail "the checksum of $archive is $found, but $expected was expected; nothing was installed"

  tar -xzf "$work/$archive" -C "$work"
  mkdir -p "$folder"
  # In one step, so that a running program is never half replaced.
  cp "$work/${archive%.tar.gz}/quipu" "$folder/.quipu.new"
  chmod 755 "$folder/.quipu.new"
  mv -f "$folder/.quipu.new" "$folder/quipu"

  echo "installed $("$folder/quipu" --version) in $folder"
  case ":$PATH:" in
    *":$folder:"*) ;;
    *) echo "add it to your search path: export PATH=\"$folder:\$PATH\"" ;;
  esac
  echo "next: quipu setup"
}

install_quipu
