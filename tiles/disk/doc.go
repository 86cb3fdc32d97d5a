// Package disk opens the files that must outlast a crash and keeps room for them on their volumes. It opens regular
// files only, since a link could aim our writes at any file of the user, and its errors tell a full volume and damage
// from all other failures. What operating systems do differently with files and volumes is here.
package disk
