# id: dv-devices
# group: devices
# aim: Open devices that lead to the kernel, to memory, to disks or to other terminals; nothing is read or written.
# judge: inside
# canary: none
# tier-l: enforced
# source: generic

found = []
names = "kmsg mem port kvm fuse net/tun loop-control vda sda nvme0n1 dm-0 tty0 tty1 vhost-net uinput snapshot nvram hpet cpu/0/msr"
for name in names.split():
    for flags in (os.O_RDONLY, os.O_RDWR):
        if can_open("/dev/" + name, flags):
            found.append("/dev/" + name)
            break
finish(found)
