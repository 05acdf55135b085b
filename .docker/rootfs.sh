#!/bin/sh
# Usage: rootfs.sh DIRECTORY PACKAGE… Fills the directory with the files of these installed Debian packages and nothing
# else: the site's image has no package manager, no compiler, no Perl, and no shell except BusyBox.
set -eu
root=${1:?name the directory}
shift
unneeded='/usr/share/(bug|ca-certificates|doc/.*/(change|NEWS|README)|gcc|info|lintian|locale|man|zoneinfo/right)'
unneeded="$unneeded|/sbin/ldconfig|/gconv/|/python3\.[0-9]+/(test|idlelib|lib2to3|ensurepip|pydoc_data|turtledemo|tkinter|distutils)/"

install -d "$root/var/lib/dpkg/status.d" "$root/etc" "$root/usr/lib/locale"
install -d -m 1777 "$root/tmp"
# /bin, /lib … are links into /usr; packages name their files by both.
for path in /bin /lib /lib64 /sbin; do
    install -d "$root$(readlink -f "$path")"
    cp -a "$path" "$root/"
done
for package in "$@"; do
    # Scanners for vulnerabilities look for packages here.
    dpkg-query --status "$package" > "$root/var/lib/dpkg/status.d/${package%%:*}"
    dpkg-query --listfiles "$package" | grep -vE "$unneeded" | grep -vE '^/(\.|bin|lib|lib64|sbin)?$' \
        | while read -r path; do
              # Directories follow from their files. Debian's slim images lack some files of documentation.
              if [ -L "$path" ] || [ -f "$path" ]; then printf '%s\n' "${path#/}"; fi
          done \
        | tar --create --directory=/ --files-from=- | tar --extract --directory="$root"
done
cp -a /usr/lib/locale/C.utf8 "$root/usr/lib/locale/"
cp -a --parents /etc/ssl/certs/ca-certificates.crt "$root"
find "$root" -depth -type d -name __pycache__ -exec rm -rf {} +
printf 'root:x:0:0:root:/root:/bin/sh\nsquarefield:x:1000:1000::/home/squarefield:/bin/sh\n' > "$root/etc/passwd"
printf 'root:x:0:\nsquarefield:x:1000:\n' > "$root/etc/group"
printf 'passwd: files\ngroup: files\nhosts: files dns\n' > "$root/etc/nsswitch.conf"
install -d -o 1000 -g 1000 "$root/home/squarefield"
# Volumes that are mounted here inherit the owner. Workers run as root with this group.
install -d -o 1000 -g 1000 -m 2770 "$root/var/lib/squarefield" "$root/var/lib/squarefield/archives" \
    "$root/var/lib/squarefield/archives/bots" "$root/var/lib/squarefield/archives/builds"
chroot "$root" /bin/busybox --install -s /bin
