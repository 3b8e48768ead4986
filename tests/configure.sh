# SPDX-License-Identifier: ISC
# shellcheck shell=bash
# Sourced by ./run and tests/all.sh: how a build folder is set up.

# Build folders differ in name only as far as the compiler's cache is concerned.
export CCACHE_NOHASHDIR=true

# Touched when packages were installed: an older folder may have been set up without what is there now.
PACKAGES_STAMP=build/packages.stamp

TEST_ONLY="-Dman=false -Dbench=false"
SANITIZED="$TEST_ONLY -Doptimization=1 -Ddebug_checks=true -Db_lundef=false"
# What make_build takes, for who sources this.
# g++ 12 mistakes some of what the sanitizers add for uninitialised reads.
# shellcheck disable=SC2034
ASAN_BUILD="build/asan gcc g++ -Db_sanitize=address,undefined $SANITIZED"
ASAN_BUILD="$ASAN_BUILD -Dcpp_args=-Wno-maybe-uninitialized"

# configure FOLDER COMPILER_C COMPILER_CXX [MESON OPTION...]
configure() {
    local folder=$1 cc=$2 cxx=$3
    shift 3
    if [ -f "$folder/build.ninja" ] && ! [ $PACKAGES_STAMP -nt "$folder/build.ninja" ]; then return 0; fi
    rm -rf "$folder"
    if command -v ccache >/dev/null; then cc="ccache $cc" cxx="ccache $cxx"; fi
    CC=$cc CXX=$cxx meson setup "$folder" "$@"
}

# make_build FOLDER COMPILER_C COMPILER_CXX [MESON OPTION...]: set up and built; one at a time in a checkout.
make_build() {
    mkdir -p build
    ( flock 9 && configure "$@" && ninja -j2 -C "$1" ) 9>build/lock
}
