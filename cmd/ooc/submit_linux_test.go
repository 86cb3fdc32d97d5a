//go:build amd64 || arm64

package main

import "ooc/cmd/ooc/internal/syscalls"

func init() { submit = syscalls.Submit }
