Creator "igraph version 1.0.0 Mon Nov 23 01:46:35 2026"
Version 1
graph
[
  directed 1
  node
  [
    id 0
  ]
  node
  [
    id 1
  ]
  node
  [
    id 2
  ]
  node
  [
    id 3
  ]
  node
  [
    id 4
  ]
  node
  [
    id 5
  ]
  node
  [
    id 6
  ]
  node
  [
    id 7
  ]
  node
  [
    id 8
  ]
  edge
  [
    source 0
    target 1
    weight 12.5
  ]
  edge
  [
    source 0
    target 3
    weight 7.25
  ]
  edge
  [
    source 1
    target 0
    weight 12.5
  ]
  edge
  [
    source 1
    target 2
    weight 20
  ]
  edge
  [
    source 1
    target 4
    weight 31
  ]
  edge
  [
    source 2
    target 1
    weight 20
  ]
  edge
  [
    source 3
    target 0
    weight 7.25
  ]
  edge
  [
    source 3
    target 4
    weight 11
  ]
  edge
  [
    source 3
    target 6
    weight 40
  ]
  edge
  [
    source 4
    target 1
    weight 31
  ]
  edge
  [
    source 4
    target 3
    weight 11
  ]
  edge
  [
    source 4
    target 5
    weight 9.5
  ]
  edge
  [
    source 5
    target 4
    weight 9.5
  ]
  edge
  [
    source 5
    target 8
    weight 14
  ]
  edge
  [
    source 6
    target 3
    weight 40
  ]
  edge
  [
    source 6
    target 7
    weight 13
  ]
  edge
  [
    source 7
    target 8
    weight 6
  ]
  edge
  [
    source 8
    target 4
    weight 2.5
  ]
  edge
  [
    source 8
    target 5
    weight 14
  ]
  edge
  [
    source 8
    target 7
    weight 6
  ]
]
